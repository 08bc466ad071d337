import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { applyMutant } from './apply-mutant.ts'
import { listHistoryMutants, listMutants } from './list-mutants.ts'
import { historyMutants } from './lists/history-mutants.ts'
import { sealingMutants } from './lists/sealing-mutants.ts'

const top = fileURLToPath(new URL('../../..', import.meta.url))
/** How many there are of each folder. */
const folders = {
  'app/sync': 21,
  'app/database': 21,
  'sync-server': 21,
  schema: 6,
  'app/lab/kit': 6,
}

test.each(listMutants())('$file: "$name" can be made, and taken back', (mutant) => {
  const folder = mkdtempSync(join(tmpdir(), 'petrel-mutant-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const original = readFileSync(join(top, mutant.file), 'utf8')
  cpSync(join(top, mutant.file), join(folder, mutant.file), { recursive: true })

  const undo = applyMutant(folder, mutant)
  expect(readFileSync(join(folder, mutant.file), 'utf8')).not.toBe(original)
  undo()
  expect(readFileSync(join(folder, mutant.file), 'utf8')).toBe(original)
  expect(mutant.tests.filter((file) => !existsSync(join(top, file)))).toEqual([])
})

test('a text that stands there twice, or not at all, makes no fault', () => {
  const file = 'app/lab/mutants/apply-mutant.ts'
  const folder = mkdtempSync(join(tmpdir(), 'petrel-mutant-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  cpSync(join(top, dirname(file)), join(folder, dirname(file)), { recursive: true })

  expect(() => applyMutant(folder, { file, before: 'const', after: 'let' })).toThrow(/times/)
  expect(() => applyMutant(folder, { file, before: 'no such text', after: '' })).toThrow('0 times')
  expect(readFileSync(join(folder, file), 'utf8')).toBe(readFileSync(join(top, file), 'utf8'))
})

test('thirty are for histories, in the sync core, the rule, the server and the kit', () => {
  const chosen = listHistoryMutants()
  expect(chosen).toHaveLength(30)
  for (const folder of ['app/sync', 'schema', 'sync-server', 'app/lab/kit']) {
    const own = chosen.filter(({ file }) => file.startsWith(`${folder}/`))
    expect(own.length, folder).toBeGreaterThanOrEqual(5)
  }
})

test('no two are alike, and each of the folders has its own', () => {
  const all = listMutants()
  const texts = new Set(all.map(({ file, before, after }) => file + before + after))
  const others = [...sealingMutants, ...historyMutants]
  expect(texts.size).toBe(75 + others.length)
  const mutants = all.filter((mutant) => !others.includes(mutant))
  for (const [folder, count] of Object.entries(folders)) {
    expect(mutants.filter(({ file }) => file.startsWith(`${folder}/`))).toHaveLength(count)
  }
})
