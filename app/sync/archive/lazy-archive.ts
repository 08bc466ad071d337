import type { PeopleStore } from '../../database/people/people-store.ts'
import type { CommandContext } from '../../database/storage/command-context.ts'
import type { RequestCalls } from '../requests/request-calls.ts'
import type { Archive } from './archive-format.ts'

/** Loads the code with the first export or import. */
export function createLazyArchive(options: {
  context: CommandContext
  calls: Pick<RequestCalls, 'messages'>
  pictures: PeopleStore['pictures']
}): Archive {
  return {
    async save(asked) {
      const { saveArchive } = await import('./save-archive.ts')
      return await saveArchive(options, asked)
    },
    async restore(zip, asked) {
      const { restoreArchive } = await import('./restore-archive.ts')
      return await restoreArchive(options, zip, asked)
    },
  }
}
