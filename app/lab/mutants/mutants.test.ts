import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { applyMutant } from './apply-mutant.ts'
import { listMutants } from './list-mutants.ts'

const top = fileURLToPath(new URL('../../..', import.meta.url))
const folders = ['app/sync', 'app/database', 'sync-server']

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

test('there are sixty, no two alike, and each of the three folders has twenty', () => {
  const mutants = listMutants()
  expect(new Set(mutants.map(({ file, before, after }) => file + before + after)).size).toBe(60)
  for (const folder of folders) {
    expect(mutants.filter(({ file }) => file.startsWith(`${folder}/`))).toHaveLength(20)
  }
})
