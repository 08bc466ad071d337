import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { createStorage } from '../storage/storage.ts'
import { createReports, type ReportDocument } from './reports.ts'

it('reports that a departed person is in are found among very many', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'petrel-reports-'))
  const storage = createStorage({ dataDir, durability: 'relaxed' })
  onTestFinished(async () => {
    await storage.close()
    await rm(dataDir, { recursive: true })
  })
  const reports = createReports({ storage })
  const report = (reporterId: string, reportedId: string) =>
    reports.add({ reporterId, reportedId, reason: 'nonsense' })
  const others = Array.from({ length: 450 }, (_, index) => report(`other-${index}`, 'ben'))
  await Promise.all([...others, report('ann', 'ben'), report('ben', 'ann'), report('zoe', 'ann')])
  await reports.forget('ann')
  const left = await storage.database<ReportDocument>('reports').range({})
  expect(left).toHaveLength(450)
  expect(left.every(({ reportedId }) => reportedId === 'ben')).toBe(true)
  await reports.forget('ben')
  expect(await storage.database('reports').range({})).toEqual([])
})
