import { existsSync } from 'node:fs'
import { cp, mkdtemp, readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { must } from '../../../schema/helpers/assertions.ts'

const top = fileURLToPath(new URL('../../../', import.meta.url))

export interface BuildCopy {
  /** The `dist` argument of `startBuiltServer`. */
  dist: string
  /**
   * Replaces the app with another version, as a deployment does. The body names the version.
   * Removes the files named `without`, as if a change had renamed them. Half of a deployment lacks
   * the page until the next one.
   */
  deploy(
    version: string,
    options?: { without?: readonly string[]; isHalf?: boolean },
  ): Promise<void>
  remove(): Promise<void>
}

/** A copy of the build, which a test may replace with another version. */
export async function copyBuild(): Promise<BuildCopy> {
  const folder = await mkdtemp(join(tmpdir(), 'petrel-build-'))
  const dist = join(folder, 'dist')
  await symlink(`${top}node_modules`, join(folder, 'node_modules'))
  for (const part of ['app', 'server']) {
    await cp(`${top}dist/${part}`, join(dist, part), {
      recursive: true,
      // A file that is newer than its Brotli is compressed by the server.
      preserveTimestamps: true,
    })
  }
  const edit = async (file: string, change: (text: string) => string) => {
    const path = join(dist, 'app', file)
    const next = join(folder, 'next')
    await writeFile(next, change(await readFile(path, 'utf8')))
    // A browser that looks for an update by itself meanwhile would install an empty worker.
    await rename(next, path)
  }
  return {
    dist,
    async deploy(version, { without = [], isHalf = false } = {}) {
      const removed: string[] = []
      const [page, away] = [join(dist, 'app/index.html'), join(folder, 'away.html')]
      if (existsSync(away)) await rename(away, page)
      for (const part of without) {
        const files = await readdir(join(dist, 'app/assets'))
        const gone = must(
          files.find((file) => file.startsWith(part) && file.endsWith('.js')),
          part,
        )
        await rm(join(dist, 'app/assets', gone))
        removed.push(`{url:"assets/${gone}",revision:null},`)
      }
      await edit('index.html', (html) =>
        html.replace(/<body[^>]*>/, `<body data-version="${version}">`),
      )
      if (isHalf) await rename(page, away)
      // At once and last: a browser that looks for an update meanwhile would install a worker in between.
      await edit('sw.js', (worker) =>
        removed
          .reduce((text, entry) => text.replace(entry, ''), worker)
          .replace(/(url:"index\.html",revision:")[^"]*/, `$1${version}`),
      )
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  }
}
