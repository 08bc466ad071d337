import { must } from '../../../../schema/helpers/assertions.ts'
import { toCanonicalWaId } from '../customers/canonical-wa-id.ts'
import { findCustomer, windowKey } from '../customers/customers.ts'
import { type SampleName, sampleFiles } from '../customers/sample-files.ts'
import { type Emulation, resetEmulation } from '../state/emulation.ts'
import { type ConfigChange, changeConfig, emulatorAccount } from '../state/emulator-config.ts'
import type { SentMessage, StatusName } from '../state/emulator-state.ts'
import type { Rule } from '../state/rules.ts'
import { attachFile, deliverMessage } from '../webhooks/receive-message.ts'
import { emitStatus, planStatuses, scheduleStatuses } from '../webhooks/send-statuses.ts'
import {
  describeContact,
  describeError,
  describeMetadata,
  toWireSeconds,
} from '../webhooks/webhook-values.ts'

export interface InboundOptions {
  /** In any formatting. */
  from: string
  name?: string | undefined
  phone_number_id?: string | undefined
  type?: string | undefined
  /** The object under the type's name; a plain text for `text`. */
  content?: unknown
  /** A file to send: a sample by name, or any bytes in base64. */
  file?:
    | { sample: SampleName }
    | { base64: string; mimeType: string; filename?: string }
    | undefined
  replyTo?: string | undefined
  referral?: Record<string, unknown> | undefined
  /** Epoch seconds. */
  timestamp?: number | undefined
}

export interface EchoOptions {
  /** Digits of the person that the business messaged from its own phone. */
  to: string
  type: string
  content: unknown
  phone_number_id?: string | undefined
  /** The wamid; a new one unless a test echoes a message of ours. */
  wamid?: string | undefined
}

export type EmulatorControl = ReturnType<typeof createControl>

/** What tests and people do to the emulator, beyond Meta's API. */
export function createControl(emulation: Emulation) {
  const { config, clock, state, webhooks, rules } = emulation
  const findSent = (wamid: string) => state.sent.find((message) => message.wamid === wamid)
  const numberOf = (id: string | undefined) => state.numbers.get(id ?? emulatorAccount.numberId)

  return {
    reset: () => resetEmulation(emulation),

    /** Advances the clock, and ends when everything due has been sent and answered. */
    advance: (ms: number) => clock.advance(ms),

    /** @returns whether webhooks are on: they need an address and a successful handshake */
    async configure(change: ConfigChange): Promise<boolean> {
      changeConfig(config, change)
      const isNewPlace = change.webhookUrl !== undefined || change.verifyToken !== undefined
      return isNewPlace ? await webhooks.verify() : state.subscriptions.isVerified
    },

    /** A message from a person. @returns its wamid */
    inbound(options: InboundOptions): string {
      const { from, name, type = 'text', content, file, replyTo, referral, timestamp } = options
      const phoneNumberId = options.phone_number_id ?? emulatorAccount.numberId
      const attached = file && attach(emulation, phoneNumberId, file)
      const own = type === 'text' && typeof content === 'string' ? { body: content } : content
      return deliverMessage(emulation, {
        from: from.replaceAll(/\D/g, ''),
        name,
        phoneNumberId,
        type,
        replyTo,
        content: attached ? { ...attached, ...(own as Record<string, unknown>) } : own,
        more: {
          ...(referral && { referral }),
          ...(type === 'unsupported' && { errors: [describeError(131051)] }),
        },
        at: timestamp === undefined ? undefined : timestamp * 1_000,
      }).wamid
    },

    /** Sends an accepted message's status. @returns false for an unknown wamid */
    status(options: {
      wamid: string
      status: StatusName
      errorCode?: number | undefined
      timestamp?: number | undefined
    }): boolean {
      const message = findSent(options.wamid)
      if (!message) return false
      const { status, errorCode, timestamp } = options
      emitStatus(emulation, message, {
        planned: { status, ...(errorCode !== undefined && { errorCode }) },
        ...(timestamp !== undefined && { at: timestamp * 1_000 }),
      })
      return true
    },

    /** Releases the statuses of a held template message. */
    release(wamid: string): boolean {
      const message = findSent(wamid)
      if (!message?.isHeld) return false
      message.isHeld = false
      const planned = planStatuses(emulation, message, {})
      scheduleStatuses(emulation, message, { script: {}, planned })
      return true
    },

    /** Echoes a message from the business's own phone. @returns its wamid */
    echo(options: EchoOptions): string {
      const number = must(numberOf(options.phone_number_id), 'a number of this account')
      const customer = findCustomer(emulation, options.to.replaceAll(/\D/g, ''))
      const wamid = options.wamid ?? state.random.wamid(customer.waId)
      const value = {
        messaging_product: 'whatsapp',
        metadata: describeMetadata(number),
        contacts: [describeContact(emulation, customer)],
        message_echoes: [
          {
            from: number.digits,
            to: customer.waId,
            id: wamid,
            ...(config.includeBsuid && { to_user_id: customer.bsuid }),
            timestamp: toWireSeconds(clock.now()),
            type: options.type,
            [options.type]: options.content,
          },
        ],
      }
      webhooks.send([{ field: 'smb_message_echoes', value }])
      return wamid
    },

    /** @returns false for an unknown template */
    templateStatus(options: {
      name: string
      language: string
      event: string
      reason?: string | undefined
    }): boolean {
      const { name, language, event, reason = null } = options
      const template = state.templates.find((one) => one.name === name && one.language === language)
      if (!template) return false
      // A warning: the template can still be sent.
      const isWarning = event === 'FLAGGED' || event === 'LOCKED'
      if (event === 'REINSTATED' || event === 'UNARCHIVED') template.status = 'APPROVED'
      else if (!isWarning) template.status = event
      const value = {
        event,
        message_template_id: Number(template.id),
        message_template_name: name,
        // Hyphenated here and underscored elsewhere, like Meta.
        message_template_language: language.replace('_', '-'),
        reason,
        message_template_category: template.category,
      }
      webhooks.send([{ field: 'message_template_status_update', value }])
      return true
    },

    /** Reports an account problem that belongs to no message. */
    accountError(options: {
      code: number
      details?: string | undefined
      phone_number_id?: string | undefined
    }) {
      const number = numberOf(options.phone_number_id)
      const value = {
        messaging_product: 'whatsapp',
        ...(number && { metadata: describeMetadata(number) }),
        errors: [describeError(options.code, options.details)],
      }
      webhooks.send([{ field: 'messages', value }])
    },

    addRule: (rule: Rule) => {
      rules.add(rule)
    },

    /** Everything accepted, oldest first. */
    outbox: (): readonly SentMessage[] => state.sent,
    received: () => state.received,
    deliveries: webhooks.list,
    redeliver: webhooks.redeliver,
    sendRaw: webhooks.sendRaw,

    setWindow(options: {
      wa_id: string
      state?: 'open' | 'closed' | undefined
      /** Epoch ms. */
      expiresAt?: number | undefined
      phone_number_id?: string | undefined
    }) {
      const numberId = options.phone_number_id ?? emulatorAccount.numberId
      const name = windowKey(numberId, toCanonicalWaId(options.wa_id.replaceAll(/\D/g, '')))
      const wholeWindowMs = 24 * 3_600_000
      const ends = options.state === 'open' ? clock.now() + wholeWindowMs : 0
      state.windows.set(name, options.expiresAt ?? ends)
    },

    /** Expires all addresses of files; with `ids` the files' ids too. */
    expireMedia({ ids = false }: { ids?: boolean | undefined } = {}) {
      for (const media of state.media.values()) {
        media.addresses.clear()
        if (ids) media.expiresAt = 0
      }
    },

    /** Invalidates the current token. @returns the new one */
    rotateToken(): string {
      config.accessToken = `emulator-${state.random.hex('token', 24)}`
      return config.accessToken
    },
  }
}

function attach(
  emulation: Emulation,
  phoneNumberId: string,
  file: NonNullable<InboundOptions['file']>,
) {
  const given =
    'sample' in file
      ? sampleFiles[file.sample]()
      : {
          bytes: Uint8Array.from(Buffer.from(file.base64, 'base64')),
          mimeType: file.mimeType,
          filename: file.filename,
        }
  const { bytes, mimeType, filename } = given
  const isDocument = !/^(image|audio|video)\//.test(mimeType)
  return {
    ...attachFile(emulation, { phoneNumberId, mimeType, bytes }),
    ...(isDocument && filename !== undefined && { filename }),
    ...(mimeType.startsWith('audio/') && { voice: mimeType.includes('opus') }),
  }
}
