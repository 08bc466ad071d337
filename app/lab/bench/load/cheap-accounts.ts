import pLimit from 'p-limit'
import { readSettings } from '../../../../sync-server/config.ts'
import { createApp } from '../../../../sync-server/create-app.ts'
import { type Account, registerAccount } from '../../server/server-accounts.ts'

const atOnce = 16

/**
 * Registers thousands of people in a stopped server's data, using a server in this process that
 * hashes passwords at the lowest cost: at the real one they would take minutes.
 */
export async function createCheapAccounts(dataDir: string, count: number): Promise<Account[]> {
  const settings = readSettings({
    PORT: '0',
    DATA_DIR: dataDir,
    RATE_LIMIT: 'off',
    LOG_LEVEL: 'silent',
    DURABILITY: 'relaxed',
  })
  const app = await createApp(settings, { passwordCost: 4 })
  const turn = pLimit(atOnce)
  const names = Array.from({ length: count }, (_, index) => `person${index}`)
  try {
    return await Promise.all(names.map((name) => turn(() => registerAccount(app.url, name))))
  } finally {
    await app.close()
  }
}
