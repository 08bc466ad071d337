import { randomUUID } from 'node:crypto'
import leveldown from 'leveldown'

/**
 * A leveldown for PouchDB's `db` option whose writes are on disk before they are answered: LevelDB by itself leaves
 * them to the operating system, so a power cut would take back what was acknowledged.
 * @param sync false leaves it so
 * @param onSync called once for each write that waits for the disk
 */
export function createDurableLeveldown(options: { sync: boolean; onSync: () => void }) {
  const { sync, onSync } = options

  // PouchDB calls it without `new`.
  function openLeveldown(location: string) {
    const down = leveldown(location)
    if (!sync) return down
    const put = down._put.bind(down)
    const del = down._del.bind(down)
    const batch = down._batch.bind(down)
    down._put = (key, value, rest, done) => {
      onSync()
      put(key, value, { ...rest, sync }, done)
    }
    down._del = (key, rest, done) => {
      onSync()
      del(key, { ...rest, sync }, done)
    }
    down._batch = (operations, rest, done) => {
      onSync()
      batch(operations, { ...rest, sync }, done)
    }
    return down
  }

  // PouchDB shares open databases by this name and closes them for all: a second storage on the same folder
  // must rather meet LevelDB's lock.
  const name = { value: `leveldown-${randomUUID()}` }
  Object.defineProperty(openLeveldown, 'name', name)
  return Object.assign(openLeveldown, { destroy: leveldown.destroy })
}
