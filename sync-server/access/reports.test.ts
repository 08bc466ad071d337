import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { limits } from '../../schema/limits.ts'
import { createStorage } from '../storage/storage.ts'
import { createReports, type ReportDocument } from './reports.ts'

async function openReports() {
  const dataDir = await mkdtemp(join(tmpdir(), 'petrel-reports-'))
  const storage = createStorage({ dataDir, durability: 'relaxed' })
  onTestFinished(async () => {
    await storage.close()
    await rm(dataDir, { recursive: true })
  })
  const clock = { now: 1_700_000_000_000 }
  const reports = createReports({ storage, now: () => clock.now })
  const report = (reporterId: string, reportedId: string) =>
    reports.add({ reporterId, reportedId, reason: 'nonsense' })
  const readAll = () => storage.database<ReportDocument>('reports').range({})
  return { clock, reports, report, readAll, storage }
}

it('a report is found among very many by the person that it is about', async () => {
  const { reports, report } = await openReports()
  const others = Array.from({ length: 450 }, (_, index) => report(`other-${index}`, 'ben'))
  await Promise.all([...others, report('ben', 'ann'), report('zoe', 'cyd')])
  expect(await Promise.all(['ann', 'ben', 'cyd', 'zoe'].map(reports.isReported))).toEqual([
    ...[true, true, true],
    false,
  ])
})

it('reports are kept for their time, and leave nothing readable then', async () => {
  const { clock, reports, report, readAll, storage } = await openReports()
  await report('ann', 'ben')
  clock.now += limits.reportsKeptMs - 1
  await report('ann', 'cyd')
  await reports.sweep()
  expect(await readAll()).toHaveLength(2)
  clock.now += 1
  expect(await reports.isReported('ben')).toBe(false)
  await reports.sweep()
  expect(await readAll()).toMatchObject([{ reportedId: 'cyd' }])
  const { results } = await storage.database('reports').changes({ includeDocs: true })
  // A deleted document can still be read.
  expect(JSON.stringify(results)).not.toContain('"ben"')
})
