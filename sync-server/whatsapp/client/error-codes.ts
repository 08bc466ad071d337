import { findKnownError } from './provider-errors.ts'

const windowIsClosed = 131047

/** A failed message's error, so that an app can offer a remedy. */
export interface SendFailure {
  code: string
  words: string
}

export const windowClosed: SendFailure = {
  code: 'whatsapp_window_closed',
  words: findKnownError(windowIsClosed).words,
}
export const noConfirmation: SendFailure = {
  code: 'whatsapp_no_confirmation',
  words: 'No confirmation from WhatsApp. It may not have arrived. Send it again if it matters.',
}
export const notLinked: SendFailure = {
  code: 'whatsapp_not_linked',
  words: 'Not sent: WhatsApp account is not linked. Link it, then try again.',
}

export const numberOfAnother: SendFailure = {
  code: 'whatsapp_number_of_another',
  words: 'Not sent: somebody else works this business number. Link a Phone Number ID of your own.',
}

/** @param code Meta's; null for an answer that is not Meta's */
export function describeProviderFailure(code: number | null, words?: string): SendFailure {
  if (code === windowIsClosed) return windowClosed
  if (code === null)
    return { code: 'whatsapp_refused', words: words ?? 'WhatsApp refused this message.' }
  return { code: `whatsapp_${code}`, words: words ?? findKnownError(code).words }
}
