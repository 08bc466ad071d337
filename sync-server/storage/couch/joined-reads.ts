import type { Document, Stored } from '../documents/documents.ts'
import { pick } from '../documents/draft-writes.ts'
import type { Pouch } from '../documents/pouch.ts'
import { readDocuments } from '../documents/read-documents.ts'

interface Waiting {
  ids: readonly string[]
  resolve: (found: Map<string, Stored<Document>>) => void
  reject: (error: unknown) => void
}

const readsAtOnce = 4
const mostIdsAtOnce = 1_000

/**
 * Reads documents by id, a few requests at a time for each database; callers that arrive meanwhile
 * share one request.
 */
export function createJoinedReads(
  use: <Result>(name: string, work: (pouch: Pouch) => Promise<Result>) => Promise<Result>,
) {
  const busy = new Map<string, { underWay: number; waiting: Waiting[] }>()

  async function readNext(name: string, queue: { underWay: number; waiting: Waiting[] }) {
    queue.underWay += 1
    while (queue.waiting.length > 0) await readTogether(name, takeSome(queue.waiting))
    queue.underWay -= 1
    if (queue.underWay === 0) busy.delete(name)
  }

  async function readTogether(name: string, group: readonly Waiting[]) {
    const ids = new Set(group.flatMap((one) => one.ids))
    try {
      const found = await use(name, (pouch) => readDocuments(pouch, ids))
      for (const one of group) one.resolve(pick(found, one.ids))
    } catch (error) {
      for (const one of group) one.reject(error)
    }
  }

  return function read(name: string, ids: readonly string[]) {
    return new Promise<Map<string, Stored<Document>>>((resolve, reject) => {
      const queue = busy.get(name) ?? { underWay: 0, waiting: [] }
      busy.set(name, queue)
      queue.waiting.push({ ids, resolve, reject })
      if (queue.underWay < readsAtOnce) readNext(name, queue).catch(reject)
    })
  }
}

function takeSome(waiting: Waiting[]): Waiting[] {
  let count = 0
  const end = waiting.findIndex(({ ids }) => {
    count += ids.length
    return count > mostIdsAtOnce
  })
  return waiting.splice(0, end === -1 ? waiting.length : Math.max(end, 1))
}
