import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { drawArrows } from './import-arrows.mjs'

const top = fileURLToPath(new URL('..', import.meta.url))
const arrow = 'lint/style/noRestrictedImports'

/** One broken arrow a line: the file, the code in it, and the rule that must complain. */
const forbidden = [
  ['schema/a.ts', "import { x } from '../app/x.ts'; export const y = x", arrow],
  ['schema/b.ts', "import { x } from '../sync-server/x.ts'; export const y = x", arrow],
  ['schema/c.ts', "import { v7 } from 'uuid'; export const y = v7", arrow],
  ['schema/d.ts', "import { join } from 'node:path'; export const y = join", arrow],
  ['app/main.tsx', "import { x } from '../sync-server/x.ts'; export const y = x", arrow],
  ['app/shell/a.ts', "import type { X } from '../../sync-server/x.ts'; export type Y = X", arrow],
  ['app/shell/b.ts', "import { x } from '../lab/x.ts'; export const y = x", arrow],
  ['app/shell/c.ts', "import { x } from 'rxdb'; export const y = x", arrow],
  ['app/chats/a.tsx', "import { x } from '../conversation/x.ts'; export const y = x", arrow],
  ['app/chats/b.tsx', "import { x } from '../shell/x.ts'; export const y = x", arrow],
  ['app/chats/c.tsx', "export const y = () => import('../messages/x.ts')", arrow],
  ['app/chats/d.tsx', "import type { X } from 'rxdb/plugins/core'; export type Y = X", arrow],
  ['app/chats/e.tsx', "import { x } from 'pouchdb'; export const y = x", arrow],
  [
    'app/chats/rows/deep/a.tsx',
    "import { x } from '../../../media/x.ts'; export const y = x",
    arrow,
  ],
  ['app/chats/rows/a.tsx', "import { x } from '../../profile/x.ts'; export const y = x", arrow],
  ['app/media/a.tsx', "import { x } from '../messages/x.ts'; export const y = x", arrow],
  ['app/messages/a.tsx', "import { x } from '../media/x.ts'; export const y = x", arrow],
  ['app/ui/a.tsx', "import { x } from '../chats/x.ts'; export const y = x", arrow],
  ['app/ui/b.tsx', "import { x } from '../database/x.ts'; export const y = x", arrow],
  ['app/database/a.ts', "import { x } from 'react'; export const y = x", arrow],
  ['app/database/b.ts', "import { x } from '../sync/x.ts'; export const y = x", arrow],
  ['app/sync/a.ts', "import { x } from '../chats/x.ts'; export const y = x", arrow],
  ['app/api/a.ts', "import { x } from 'rxdb'; export const y = x", arrow],
  ['app/api/b.ts', "import { x } from '../ui/x.ts'; export const y = x", arrow],
  ['app/lab/kit/a.ts', "import { x } from '../create-lab.ts'; export const y = x", arrow],
  ['app/lab/kit/b.ts', "import { x } from '../../../schema/x.ts'; export const y = x", arrow],
  ['app/lab/kit/c.ts', "import type { X } from '../../sync/x.ts'; export type Y = X", arrow],
  ['app/lab/kit/d.ts', "import { x } from 'rxdb'; export const y = x", arrow],
  ['app/lab/kit/e.test.ts', "import { x } from '../device/x.ts'; export const y = x", arrow],
  ['sync-server/http/a.ts', "import { x } from '../../app/x.ts'; export const y = x", arrow],
  ['sync-server/sync/a.ts', "import P from 'pouchdb-core'; export const y = P", arrow],
  ['sync-server/storage/a.ts', "import { x } from 'rxdb'; export const y = x", arrow],
  ['sync-server/http/b.ts', 'export const y = process.env.PORT', 'lint/style/noProcessEnv'],
  ['sync-server/http/c.ts', 'export default 1', 'lint/style/noDefaultExport'],
  ['sync-server/http/d.ts', 'export const y = (x: any) => x', 'lint/suspicious/noExplicitAny'],
  [
    'sync-server/http/e.ts',
    'export const y = (x?: string) => x!.length',
    'lint/style/noNonNullAssertion',
  ],
  [
    'sync-server/http/f.ts',
    'const load = async () => 1\nexport function run() { load() }',
    'lint/nursery/noFloatingPromises',
  ],
  [
    'sync-server/http/g.ts',
    "import { h } from './h.ts'\nexport const g = () => h",
    'lint/suspicious/noImportCycles',
  ],
  [
    'sync-server/http/h.ts',
    "import { g } from './g.ts'\nexport const h = () => g",
    'lint/suspicious/noImportCycles',
  ],
  [
    'sync-server/http/i.ts',
    '// biome-ignore lint/suspicious/noExplicitAny: none here\nexport const y = 1',
    'suppressions/unused',
  ],
] as const

const allowed = [
  ['schema/y.ts', "import { z } from 'zod'\nimport { x } from './x.ts'\nexport const y = [z, x]"],
  ['app/shell/y.ts', "import { x } from '../chats/x.ts'; export const y = x"],
  [
    'app/chats/y.tsx',
    "import { x } from '../ui/x.ts'\nimport { s } from '../../schema/s.ts'\nexport const y = [x, s]",
  ],
  ['app/database/y.ts', "import { x } from 'rxdb/plugins/core'; export const y = x"],
  ['app/sync/y.ts', "import { x } from 'rxdb/plugins/core'; export const y = x"],
  ['app/lab/y.ts', "import { x } from '../../sync-server/x.ts'; export const y = x"],
  [
    'app/lab/kit/y.ts',
    "import W from 'ws'\nimport { x } from 'fake-indexeddb'\nimport { z } from './z.ts'\nexport const y = [W, x, z]",
  ],
  ['app/sync/y.test.ts', "import { x } from '../../sync-server/x.ts'; export const y = x"],
  [
    'sync-server/storage/y.ts',
    "import { ClassicLevel } from 'classic-level'; export const y = ClassicLevel",
  ],
  ['sync-server/config.ts', 'export const y = process.env.PORT'],
] as const

const found = await lintSamples()

test("the linter's configuration matches the table of arrows in CONTRIBUTING", () => {
  const configuration = readFileSync(`${top}.biome.json`, 'utf8')
  expect(JSON.parse(configuration)).toEqual(drawArrows(configuration))
})

test.each(forbidden)('%s may not say %s', (file, _code, rule) => {
  expect(found.filter((finding) => finding.file === file).map((finding) => finding.rule)).toContain(
    rule,
  )
})

test.each(allowed)('%s may say %s', (file) => {
  expect(found.filter((finding) => finding.file === file)).toEqual([])
})

async function lintSamples() {
  const folder = await mkdtemp(join(tmpdir(), 'petrel-arrows-'))
  for (const file of ['.biome.json', 'package.json']) await copyFile(top + file, join(folder, file))
  for (const [file, code] of [...forbidden, ...allowed]) {
    await mkdir(dirname(join(folder, file)), { recursive: true })
    await writeFile(join(folder, file), `${code}\n`)
  }
  const output = await runBiome(folder)
  await rm(folder, { recursive: true })
  const lines = output.matchAll(/^::\w+ title=([^,]+),file=([^,]+),/gm)
  return [...lines].map(([, rule, file]) => ({ rule, file: file?.replace(`${folder}/`, '') }))
}

function runBiome(cwd: string): Promise<string> {
  const args = ['lint', '--vcs-enabled=false', '--max-diagnostics=none', '--reporter=github', '.']
  return new Promise((resolve) => {
    // It exits with an error by design: the output counts.
    execFile(`${top}node_modules/.bin/biome`, args, { cwd }, (_failure, output) => resolve(output))
  })
}
