import { setTimeout as sleep } from 'node:timers/promises'
import { wordsOf } from '../../schema/helpers/text.ts'
import { readSettings } from '../config.ts'
import { createGraphClient } from '../whatsapp/client/graph-client.ts'
import { createTemplates } from '../whatsapp/sending/template-creation.ts'

/** `npm run templates`: WhatsApp usually reviews a template within a minute. */
const waitMaxMs = 5 * 60_000

async function run(): Promise<string> {
  const { whatsApp: settings } = readSettings()
  if (!settings) throw new Error('Set WHATSAPP_ENABLED=true and the other WHATSAPP settings first.')
  const client = createGraphClient({ settings })
  const { businessAccountId } = settings
  const created = await createTemplates({
    client,
    businessAccountId,
    waitMaxMs,
    sleep: (ms) => sleep(ms),
  })
  return created.map(({ name, outcome, status }) => `${name}: ${outcome}, ${status}`).join('\n')
}

try {
  process.stdout.write(`${await run()}\n`)
} catch (error) {
  process.stderr.write(`${wordsOf(error)}\n`)
  process.exitCode = 1
}
