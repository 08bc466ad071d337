import { join } from 'node:path'
import PouchDB from 'pouchdb'
import type { World } from '../kit/lab.ts'

interface Todo {
  title: string
}

/** PouchDB lets go of what it asked when its network fails: the tests leave this error alone where nobody hears it. */
const pouchWithoutNetwork = 'The PouchDB of an example has no network.'

/**
 * A list on PouchDB that syncs with a CouchDB. PouchDB in Node keeps it in a folder.
 * @param options.retry goes on after an error of the network; without it, live ends there for good
 */
export function openPouchTodos(
  world: World,
  { retry, folder }: { retry: boolean; folder: string },
) {
  const db = new PouchDB<Todo>(join(folder, `${world.lab}-${world.device}`))
  const remote = new PouchDB<Todo>(`${world.url}${world.lab}`, {
    async fetch(url, init) {
      try {
        return (await world.fetch(url, init as RequestInit)) as never
      } catch (cause) {
        throw new Error(pouchWithoutNetwork, { cause })
      }
    },
  })
  const sync = db.sync(remote, { live: true, retry, back_off_function: () => 40 } as never)
  sync.on('error', () => {})

  return {
    async read() {
      const { rows } = await db.allDocs({ include_docs: true })
      return Object.fromEntries(rows.map(({ id, doc }) => [id, { title: doc?.title }]))
    },
    async close() {
      sync.cancel()
      await db.close()
      await remote.close()
    },
    add: (id: string, title: string) => db.put({ _id: id, title }),
  }
}
