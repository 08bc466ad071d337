import { readSettings } from '../../../../sync-server/config.ts'
import { createApp } from '../../../../sync-server/create-app.ts'

/**
 * Our server in its own process, which may push to a service on this machine and hashes passwords
 * at the lowest cost. Takes the folder of its data; prints its port.
 */
const [DATA_DIR = ''] = process.argv.slice(2)
const given = { PORT: '0', HOST: '127.0.0.1', DATA_DIR, RATE_LIMIT: 'off', LOG_LEVEL: 'silent' }
const app = await createApp(readSettings(given), { isLoopbackPushAllowed: true, passwordCost: 4 })
process.stdout.write(String(app.port))
