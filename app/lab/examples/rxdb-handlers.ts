import { createRxDatabase, type RxCollection, type WithDeleted } from 'rxdb'
import { replicateRxCollection } from 'rxdb/plugins/replication'
import { replicateGraphQL } from 'rxdb/plugins/replication-graphql'
import { getRxStorageDexie } from 'rxdb/plugins/storage-dexie'
import type { World } from '../kit/lab.ts'

/** One thing to do. */
interface Todo {
  id: string
  title: string
}
type Row = { newDocumentState: WithDeleted<Todo>; assumedMasterState?: WithDeleted<Todo> }
interface Page {
  documents: WithDeleted<Todo>[]
  checkpoint: { place: number }
}

const schema = {
  version: 0,
  primaryKey: 'id',
  type: 'object',
  properties: { id: { type: 'string', maxLength: 100 }, title: { type: 'string' } },
  required: ['id', 'title'],
} as const
const retryTime = 40
const askEveryMs = 60
const batchSize = 50

/** How a list on RxDB reaches a server of its author's own. */
export type Way = 'own handlers' | 'GraphQL'

/**
 * A to-do list on RxDB without a CouchDB: with handlers of its author's own, or by RxDB's GraphQL plugin.
 * @param options.trustsStatus takes whatever the server answers for a yes
 */
export async function openHandlerTodos(
  world: World,
  { way, trustsStatus = true }: { way: Way; trustsStatus?: boolean },
) {
  const database = await createRxDatabase({
    name: `${world.lab}-${world.device}`,
    storage: getRxStorageDexie({ indexedDB: world.indexedDB, IDBKeyRange: world.IDBKeyRange }),
    multiInstance: false,
    closeDuplicates: true,
  })
  const { todos } = await database.addCollections({ todos: { schema } })
  const collection: RxCollection<Todo> = todos
  const replication =
    way === 'GraphQL' ? replicateByGraphQL(world, collection) : replicateByHandlers()
  const asking = setInterval(() => replication.reSync(), askEveryMs)

  function replicateByHandlers() {
    async function ask(path: string, body: object) {
      const init = { method: 'POST', body: JSON.stringify(body) }
      const response = await world.fetch(`${world.url}/${path}`, init)
      if (response.ok) return await response.json()
      if (trustsStatus) throw new Error(`The server answers ${response.status}.`)
      return []
    }
    return replicateRxCollection<Todo, Page['checkpoint']>({
      replicationIdentifier: 'todos',
      collection,
      live: true,
      retryTime,
      waitForLeadership: false,
      pull: {
        batchSize,
        async handler(checkpoint) {
          const page = await ask('pull', { place: checkpoint?.place ?? 0 })
          return page.documents ? page : { documents: [], checkpoint }
        },
      },
      push: { batchSize, handler: async (rows) => await ask('push', { rows }) },
    })
  }

  return {
    async read() {
      const all = await collection.find().exec()
      return Object.fromEntries(all.map(({ id, title }) => [id, { title }]))
    },
    async close() {
      clearInterval(asking)
      await database.close()
    },
    add: (id: string, title: string) => collection.insert({ id, title }),
  }
}

function replicateByGraphQL({ url, fetch }: World, collection: RxCollection<Todo>) {
  return replicateGraphQL<Todo, Page['checkpoint']>({
    replicationIdentifier: 'todos',
    collection,
    url: { http: `${url}/graphql` },
    fetch,
    live: true,
    retryTime,
    waitForLeadership: false,
    pull: {
      batchSize,
      queryBuilder: (checkpoint) => ({
        query: 'query Pull($place: Int!) { pull(place: $place) { documents checkpoint } }',
        operationName: 'Pull',
        variables: { place: checkpoint?.place ?? 0 },
      }),
      dataPath: 'data.pull',
    },
    push: {
      batchSize,
      queryBuilder: (rows) => ({
        query: 'mutation Push($rows: [Row!]) { push(rows: $rows) { id title _deleted } }',
        operationName: 'Push',
        variables: { rows },
      }),
      dataPath: 'data.push',
    },
  })
}

/** Its server, as a function: answers handlers and GraphQL alike. */
export function createTodosServer() {
  const stored = new Map<string, { document: WithDeleted<Todo>; place: number }>()
  const state = { place: 0 }

  function pull({ place }: { place: number }): Page {
    const later = [...stored.values()].filter((one) => one.place > place)
    const documents = later.map(({ document }) => document)
    return { documents, checkpoint: { place: Math.max(place, state.place) } }
  }

  /** @returns what the server has in place of what was assumed */
  function push({ rows }: { rows: readonly Row[] }): WithDeleted<Todo>[] {
    return rows.flatMap(({ newDocumentState: document, assumedMasterState }) => {
      const before = stored.get(document.id)
      if (before && before.document.title !== assumedMasterState?.title) return [before.document]
      state.place += 1
      stored.set(document.id, { document, place: state.place })
      return []
    })
  }

  return async (request: Request): Promise<Response> => {
    const body = await request.json()
    const { pathname } = new URL(request.url)
    if (pathname.endsWith('/pull')) return Response.json(pull(body))
    if (pathname.endsWith('/push')) return Response.json(push(body))
    const isPull = body.operationName === 'Pull'
    return Response.json({
      data: isPull ? { pull: pull(body.variables) } : { push: push(body.variables) },
    })
  }
}
