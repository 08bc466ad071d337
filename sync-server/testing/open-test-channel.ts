import type { EmulatorOptions } from '../tools/whatsapp-emulator/emulator.ts'
import { settingsForEmulator } from '../tools/whatsapp-emulator/settings-for-emulator.ts'
import { createCircuitBreaker } from '../whatsapp/client/circuit-breaker.ts'
import { createGraphClient } from '../whatsapp/client/graph-client.ts'
import type { ProviderError } from '../whatsapp/client/provider-error.ts'
import { createSendLimiter } from '../whatsapp/client/send-limiter.ts'
import { readWhatsAppSettings } from '../whatsapp/client/whatsapp-settings.ts'
import { validateMessage } from '../whatsapp/content/validate-message.ts'
import { createMessageSender, type SendRequest } from '../whatsapp/sending/send-message.ts'
import { openTestEmulator } from './open-test-emulator.ts'

/**
 * For tests: the client against an emulator, over HTTP. Waits of the client advance the emulator's
 * clock.
 */
export async function openTestChannel(
  options: EmulatorOptions & { env?: Record<string, string> } = {},
) {
  const { env, ...rest } = options
  const opened = await openTestEmulator(rest)
  const { emulator } = opened
  const { account } = emulator
  const read = readWhatsAppSettings({
    ...settingsForEmulator(emulator),
    ...env,
  })
  if (!('settings' in read) || !read.settings) throw new Error(JSON.stringify(read))
  const { settings } = read
  const waits: number[] = []
  const waiting = {
    now: emulator.now,
    async sleep(ms: number) {
      waits.push(ms)
      await emulator.advance(ms)
    },
  }
  const alarms: ProviderError[] = []
  const breaker = createCircuitBreaker({ now: emulator.now, onOpen: (one) => alarms.push(one) })
  const limiter = createSendLimiter({ messagesPerSecond: settings.messagesPerSecond, waiting })
  const client = createGraphClient({ settings })
  const sender = createMessageSender({ client, limiter, breaker, waiting })
  const ids = { last: 0 }

  return {
    ...opened,
    settings,
    client,
    sender,
    breaker,
    limiter,
    alarms,
    waits,

    /** Sends a text, or the given message, as a person in Petrel would: with digits only. */
    say(phone: string, more: Partial<SendRequest> = {}) {
      const text = validateMessage('text', 'Hello')
      if ('refusal' in text) throw new Error(text.refusal)
      ids.last += 1
      return sender.send({
        phoneNumberId: account.numberId,
        to: { phone },
        message: text.message,
        messageId: `message ${ids.last}`,
        ...more,
      })
    },
  }
}
