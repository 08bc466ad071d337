import pLimit from 'p-limit'
import { readSettings } from '../../../../sync-server/config.ts'
import { createApp } from '../../../../sync-server/create-app.ts'
import { type Account, registerAccount } from '../../server/server-accounts.ts'

const atOnce = 16

/**
 * Registers thousands of people in the data of a server that does not run now, by one in this process whose passwords
 * are hashed at the least cost: at the real one they would take minutes.
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
