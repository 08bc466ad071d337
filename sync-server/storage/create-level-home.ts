import { constants } from 'node:fs'
import { access, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { DatabaseHome } from './database-home.ts'
import { isPersonalDatabase } from './database-names.ts'
import { createDurableLeveldown } from './durable-leveldown.ts'
import { openPouch } from './pouch.ts'

const MiB = 2 ** 20
const kiB = 2 ** 10

// LevelDB's defaults (4 MiB buffer, 8 MiB cache) times 500 open databases would be 6 GiB.
// The write buffer is also what is read again when a database is opened.
const personalSizes = { writeBufferSize: 512 * kiB, cacheSize: 512 * kiB, maxOpenFiles: 16 }
const sharedSizes = { writeBufferSize: 4 * MiB, cacheSize: 16 * MiB, maxOpenFiles: 256 }

const revisionsKept = 50

/**
 * Databases as folders of LevelDB under `dataDir/databases`, for one process at a time.
 * @param durability `sync` waits for the disk at each write; `relaxed` leaves it to the operating system
 */
export function createLevelHome(options: {
  dataDir: string
  durability: 'sync' | 'relaxed'
}): DatabaseHome {
  const folder = join(options.dataDir, 'databases')
  const counted = { syncedWrites: 0 }
  const db = createDurableLeveldown({
    sync: options.durability === 'sync',
    onSync: () => {
      counted.syncedWrites += 1
    },
  })

  return {
    async open(name) {
      await mkdir(folder, { recursive: true })
      return await openPouch(join(folder, name), {
        adapter: 'leveldb',
        db,
        auto_compaction: true,
        revs_limit: revisionsKept,
        ...(isPersonalDatabase(name) ? personalSizes : sharedSizes),
      })
    },
    destroy(name) {
      return new Promise((resolve, reject) => {
        db.destroy(join(folder, name), (error) => (error ? reject(error) : resolve()))
      })
    },
    async ready() {
      await mkdir(folder, { recursive: true })
      await access(folder, constants.W_OK)
    },
    countSyncedWrites: () => counted.syncedWrites,
  }
}
