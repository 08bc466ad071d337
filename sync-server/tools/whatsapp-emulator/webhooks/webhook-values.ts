import { isHidden } from '../customers/customers.ts'
import type { Emulation } from '../state/emulation.ts'
import type { BusinessNumber, Customer, SentMessage, StatusName } from '../state/emulator-state.ts'
import { unknownTitle, wireErrors } from '../wire/wire-errors.ts'

/** Webhook values in Meta's form. Times are strings of whole seconds. */
export const toWireSeconds = (ms: number) => String(Math.floor(ms / 1_000))

export function describeMetadata(number: BusinessNumber) {
  return { display_phone_number: number.digits, phone_number_id: number.id }
}

export function describeContact(emulation: Emulation, customer: Customer) {
  const hidden = isHidden(emulation, customer)
  return {
    profile: {
      name: customer.name,
      ...(hidden && { username: `@customer.${customer.digits.slice(-4)}` }),
    },
    ...(!hidden && { wa_id: customer.waId }),
    ...((hidden || emulation.config.includeBsuid) && { user_id: customer.bsuid }),
  }
}

/** A message's sender: a number, an id within the business, or both. */
export function describeSender(emulation: Emulation, customer: Customer) {
  const hidden = isHidden(emulation, customer)
  return {
    ...(!hidden && { from: customer.waId }),
    ...((hidden || emulation.config.includeBsuid) && { from_user_id: customer.bsuid }),
  }
}

export function describeError(code: number, details?: string) {
  const known = wireErrors[code]
  const title = known?.title ?? unknownTitle
  const text = details ?? known?.details
  return {
    code,
    title,
    message: title,
    ...(text !== undefined && { error_data: { details: text } }),
    href: 'https://developers.facebook.com/docs/whatsapp/cloud-api/support/error-codes/',
  }
}

export interface StatusChange {
  status: StatusName
  at: number
  errorCode: number | null
}

export function describeStatus(emulation: Emulation, message: SentMessage, change: StatusChange) {
  const { customer } = message
  const { status, at, errorCode } = change
  const toPhone = message.to.startsWith('+')
  const category = message.type === 'template' ? 'utility' : 'service'
  return {
    id: message.wamid,
    status,
    timestamp: toWireSeconds(at),
    ...(!isHidden(emulation, customer) && { recipient_id: customer.waId }),
    ...(emulation.config.includeBsuid &&
      !(status === 'failed' && toPhone) && { recipient_user_id: customer.bsuid }),
    ...(message.callbackData !== null && { biz_opaque_callback_data: message.callbackData }),
    ...(emulation.config.webhookVersion === 'v23' &&
      status !== 'failed' && {
        conversation: {
          id: `conversation-of-${message.wamid.slice(-8)}`,
          ...(status === 'sent' && {
            expiration_timestamp: toWireSeconds(at + 24 * 3_600_000),
          }),
          origin: { type: category },
        },
      }),
    ...(['sent', 'delivered'].includes(status) && {
      pricing: {
        billable: category === 'utility',
        pricing_model: 'PMP',
        type: category === 'utility' ? 'regular' : 'free_customer_service',
        category,
      },
    }),
    ...(errorCode !== null && { errors: [describeError(errorCode)] }),
  }
}

/** The value of a `messages` change with statuses of one message's number. */
export function wrapStatuses(
  emulation: Emulation,
  message: SentMessage,
  statuses: ReturnType<typeof describeStatus>[],
) {
  const number = emulation.state.numbers.get(message.phoneNumberId)
  return {
    messaging_product: 'whatsapp',
    ...(number && { metadata: describeMetadata(number) }),
    ...(statuses.every(({ status }) => status !== 'failed') && {
      contacts: [describeContact(emulation, message.customer)],
    }),
    statuses,
  }
}
