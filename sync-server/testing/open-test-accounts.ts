import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { AccountsDocument } from '../access/account-documents.ts'
import { createStorage } from '../storage/storage.ts'
import { createFaultyDisk, type FaultyDisk } from '../storage/testing/faulty-disk.ts'

/** For tests: an `accounts` database on real LevelDB, in a folder that `close` removes. */
export async function openTestAccounts() {
  const disk = createFaultyDisk()
  const dataDir = await mkdtemp(join(tmpdir(), 'petrel-accounts-'))
  const storage = createStorage({ dataDir, durability: 'relaxed', wrapLevel: disk.wrapLevel })
  return {
    disk: disk as Pick<FaultyDisk, 'fillUp' | 'makeRoom'>,
    database: storage.database<AccountsDocument>('accounts'),
    async close() {
      await storage.close()
      await rm(dataDir, { recursive: true })
    },
  }
}
