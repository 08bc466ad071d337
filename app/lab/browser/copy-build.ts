import { cp, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { must } from '../../../schema/helpers/must.ts'

const top = fileURLToPath(new URL('../../../', import.meta.url))

export interface BuildCopy {
  /** What `startBuiltServer` takes as `dist`. */
  dist: string
  /**
   * Puts a further version of the app in its place, as a deployment does. The body says which one. The parts named
   * `without` are gone, as they are when they have changed and so have other names.
   */
  deploy(version: string, options?: { without: readonly string[] }): Promise<void>
  remove(): Promise<void>
}

/** A copy of what is built, which a test may replace by a further version. */
export async function copyBuild(): Promise<BuildCopy> {
  const folder = await mkdtemp(join(tmpdir(), 'petrel-build-'))
  const dist = join(folder, 'dist')
  await symlink(`${top}node_modules`, join(folder, 'node_modules'))
  for (const part of ['app', 'server']) {
    await cp(`${top}dist/${part}`, join(dist, part), { recursive: true })
  }
  const edit = async (file: string, change: (text: string) => string) => {
    const path = join(dist, 'app', file)
    await writeFile(path, change(await readFile(path, 'utf8')))
  }
  return {
    dist,
    async deploy(version, { without } = { without: [] }) {
      for (const part of without) {
        const files = await readdir(join(dist, 'app/assets'))
        const gone = must(
          files.find((file) => file.startsWith(part) && file.endsWith('.js')),
          part,
        )
        await rm(join(dist, 'app/assets', gone))
        await edit('sw.js', (worker) => worker.replace(`{url:"assets/${gone}",revision:null},`, ''))
      }
      await edit('index.html', (html) =>
        html.replace(/<body[^>]*>/, `<body data-version="${version}">`),
      )
      await edit('sw.js', (worker) =>
        worker.replace(/(url:"index\.html",revision:")[^"]*/, `$1${version}`),
      )
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  }
}
