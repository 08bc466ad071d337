import { basename } from 'node:path'
import { BaseSequencer } from 'vitest/node'

/**
 * Short files whose tests take 8 to 110 s. A machine that has no times yet starts the largest files first, and would end
 * with one of these on one core.
 */
const long = new Set([
  'examples.test.ts',
  'pack-lab.test.ts',
  'canary.test.ts',
  'account-access.test.ts',
  'restored-files.test.ts',
  'run-history.test.ts',
  'presence-of-many.test.ts',
  'silent-couchdb.test.ts',
  'big-outbox.test.ts',
  'slow-network.test.ts',
  'presence-secrets.test.ts',
  'many-pictures.e2e.ts',
  'drafts.e2e.ts',
  'one-line.e2e.ts',
  'crowded.e2e.ts',
  'live-chat.e2e.ts',
  'uploads.e2e.ts',
  'outdated.e2e.ts',
  'trimming.e2e.ts',
  'server-kill.e2e.ts',
])

/** Vitest's own order, but for `long`, which start first of their kind. */
export class LongFirst extends BaseSequencer {
  /** @override @param {import('vitest/node').TestSpecification[]} files */
  async sort(files) {
    const sorted = await super.sort(files)
    const projects = [...new Set(sorted.map(({ project }) => project))]
    return projects.flatMap((project) => {
      const own = sorted.filter((file) => file.project === project)
      const isLong = ({ moduleId = '' }) => long.has(basename(moduleId))
      return [...own.filter(isLong), ...own.filter((file) => !isLong(file))]
    })
  }
}
