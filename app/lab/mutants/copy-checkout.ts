import { cpSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const copied = ['app', 'public', 'schema', 'sync-server', '.run']
const files = ['package.json', 'README.md', 'tsconfig.json', 'vite.config.ts']

/** A copy of this checkout's files, with the same packages: changes there leave this one alone. */
export function copyCheckout(top: string): { folder: string; remove: () => void } {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'petrel-mutants-')))
  for (const name of [...copied, ...files]) {
    cpSync(join(top, name), join(folder, name), { recursive: true })
  }
  symlinkSync(realpathSync(join(top, 'node_modules')), join(folder, 'node_modules'), 'junction')
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) }
}
