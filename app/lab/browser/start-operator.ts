import {
  type Emulator,
  startEmulator,
} from '../../../sync-server/tools/whatsapp-emulator/emulator.ts'
import { settingsForEmulator } from '../../../sync-server/tools/whatsapp-emulator/settings-for-emulator.ts'
import { registerPerson } from './account-steps.ts'
import { registerWithKeys } from './key-steps.ts'
import { type BrowserPerson, createPerson, type PersonOptions } from './person.ts'
import { type BuiltServer, startBuiltServer } from './start-built-server.ts'

export interface TestOperator {
  server: BuiltServer
  emulator: Emulator
  /** Registered, with her empty list open; nothing is linked yet. */
  ann: BrowserPerson
  close(): Promise<void>
}

/** A new server whose WhatsApp is an emulator in this process, and Ann at a browser. */
export async function startOperator({
  hasKeys = false,
  ...options
}: PersonOptions & {
  /** Does she write end-to-end encrypted, where the other side can? */
  hasKeys?: boolean
} = {}): Promise<TestOperator> {
  const emulator = await startEmulator({ port: 0, clock: 'running' })
  const { account } = emulator
  const server = await startBuiltServer({
    env: {
      ...settingsForEmulator(emulator),
      WHATSAPP_APP_ID: account.appId,
      ...(hasKeys && { END_TO_END: 'on' }),
    },
  })
  await emulator.configure({ webhookUrl: `${server.origin}/api/webhooks/whatsapp` })
  const ann = await createPerson(server, 'ann', options)
  await (hasKeys ? registerWithKeys(ann) : registerPerson(ann))
  return {
    server,
    emulator,
    ann,
    async close() {
      await ann.close()
      await server.close()
      await emulator.close()
    },
  }
}
