import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { expect, test } from 'vitest'
import { top } from './project.mjs'

const archaic = /\b(whom|anew|is told of|what has been)\b/i
/** An idiom that people read on the screen of security. */
const idiom = 'see who writes to whom.'

test('comments, texts and records are in plain English', () => {
  const found = ['app', 'sync-server', 'schema', '.github', '.run']
    .flatMap(listFiles)
    .flatMap((file) =>
      readFileSync(top + file, 'utf8')
        .split('\n')
        .filter((line) => archaic.test(line) && !line.includes(idiom))
        .map((line) => `${file}: ${line.trim()}`),
    )
  expect(found).toEqual([])
})

/** The texts of a folder, but this one, relative to the top folder. */
function listFiles(folder: string): string[] {
  return readdirSync(top + folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(tsx?|mjs|css|md)$/.test(entry.name))
    .map((entry) => relative(top, join(entry.parentPath, entry.name)))
    .filter((file) => join(top, file) !== import.meta.filename)
}
