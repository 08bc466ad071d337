import { startEmulator } from './emulator.ts'

/** `npm run emulator`, with another port as its argument. */
const [port = '4010'] = process.argv.slice(2)
const emulator = await startEmulator({ port: Number(port) }).catch((error: unknown) => {
  const isTaken = (error as NodeJS.ErrnoException).code === 'EADDRINUSE'
  const words = isTaken ? `Port ${port} is in use. Try: npm run emulator -- 4011` : String(error)
  process.stderr.write(`${words}\n`)
  process.exit(1)
})
const { account } = emulator
process.stdout.write(`The WhatsApp emulator runs. Nothing here reaches WhatsApp.

  A customer's phone   ${emulator.url}/__emulator__/

Start Petrel against it with

  WHATSAPP_ENABLED=true
  WHATSAPP_GRAPH_BASE_URL=${emulator.url}
  WHATSAPP_ACCESS_TOKEN=${account.accessToken}
  WHATSAPP_PHONE_NUMBER_ID=${account.numberId}
  WHATSAPP_BUSINESS_ACCOUNT_ID=${account.businessAccountId}
  WHATSAPP_APP_ID=${account.appId}
  WHATSAPP_APP_SECRET=${account.appSecret}
  WHATSAPP_VERIFY_TOKEN=${account.verifyToken}

and tell it where webhooks go (with Petrel's own address):

  curl -X POST ${emulator.url}/__emulator__/config -H 'content-type: application/json' \\
    -d '{"webhookUrl":"http://127.0.0.1:3000/api/webhooks/whatsapp"}'

`)
process.once('SIGINT', () => process.exit(0))
process.once('SIGTERM', () => process.exit(0))
