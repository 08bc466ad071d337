/** The remedy for an error: none until something changes, a later retry, or the operator. */
export type Remedy = 'none' | 'later' | 'operator'

interface KnownError {
  remedy: Remedy
  /** The HTTP status of our own answer. */
  status: 422 | 429 | 503
  /** What happened, for a person: shown once nothing is tried any more, so it promises nothing. */
  words: string
  /** The maximum of retries, if lower than usual. */
  retriesMax?: number
  /** The earliest time for a retry, ms. */
  afterMs?: number
  /** Stops all sends for a while: the token or the account is unusable. */
  opensBreaker?: true
}

const channelDown = 'WhatsApp channel is not available'
const down = { remedy: 'operator', status: 503, words: channelDown } as const
const refuse = (words: string): KnownError => ({ remedy: 'none', status: 422, words })
const minuteMs = 60_000

/** Meta's codes with a meaning of their own. Source: Meta's page "Error codes". */
const known: Record<number, KnownError> = {
  0: { ...down, opensBreaker: true },
  190: { ...down, opensBreaker: true },
  10: { ...down, opensBreaker: true },
  3: down,
  131005: down,
  131031: { ...down, opensBreaker: true },
  368: { ...down, opensBreaker: true },
  131045: down,
  133010: down,
  1: {
    remedy: 'later',
    status: 422,
    retriesMax: 1,
    words: 'WhatsApp could not take this message. Try again.',
  },
  2: { remedy: 'later', status: 503, words: 'WhatsApp is not reachable at the moment.' },
  131016: { remedy: 'later', status: 503, words: 'WhatsApp is not reachable at the moment.' },
  133004: { remedy: 'later', status: 503, words: 'WhatsApp is not reachable at the moment.' },
  131057: {
    remedy: 'later',
    status: 503,
    afterMs: minuteMs,
    words: 'WhatsApp was changing this account. Try again in a minute.',
  },
  131000: {
    remedy: 'later',
    status: 422,
    retriesMax: 2,
    words: 'WhatsApp could not send this message. Try again.',
  },
  4: {
    remedy: 'later',
    status: 429,
    afterMs: minuteMs,
    words: 'Too many calls to WhatsApp. Try again in some minutes.',
  },
  80007: {
    remedy: 'later',
    status: 429,
    afterMs: minuteMs,
    words: 'This account has reached its hourly limit at WhatsApp.',
  },
  130429: {
    remedy: 'later',
    status: 429,
    words: 'This number sends too fast for WhatsApp. Try again in a minute.',
  },
  131056: {
    remedy: 'later',
    status: 429,
    words: 'Too many messages to this person at once. Try again in some minutes.',
  },
  131048: refuse('WhatsApp has paused this number: too many people marked its messages as spam.'),
  131064: refuse('WhatsApp has limited this account because of how its templates were used.'),
  133016: refuse('This number was registered too often. WhatsApp allows it again in three days.'),
  33: refuse('This business number does not exist any more.'),
  100: refuse('WhatsApp did not understand this message.'),
  131008: refuse('WhatsApp misses a part of this message.'),
  131009: refuse('WhatsApp does not accept a part of this message.'),
  131021: refuse('You cannot message your own business number'),
  131026: refuse('This number cannot receive WhatsApp messages'),
  131030: refuse('The test number may not write to this person: add them to its list at Meta.'),
  130497: refuse('WhatsApp does not let this business write to that country.'),
  131037: refuse('The display name of this number is not approved by WhatsApp yet.'),
  131042: refuse('WhatsApp has a problem with the payment of this account.'),
  131047: refuse("More than 24 hours since the contact's last message. Send a template."),
  131049: refuse('WhatsApp withheld this marketing message. Wait a day before the next one.'),
  131050: refuse('This person does not want marketing messages from you.'),
  130472: refuse('WhatsApp does not deliver marketing messages to this person.'),
  131051: refuse('WhatsApp does not support this kind of message.'),
  131052: refuse('The file that was sent could not be fetched.'),
  131053: refuse('WhatsApp could not use this file. Send it in another format.'),
  131060: refuse('This message is not available at the moment.'),
  131062: refuse('This message cannot be sent to somebody without a visible number.'),
  132000: refuse('The template needs another number of values.'),
  132001: refuse('This template does not exist in this language, or is not approved.'),
  132005: refuse('The template is too long with these values.'),
  132007: refuse('The template breaks a rule of WhatsApp.'),
  132008: refuse('A value does not fit the template.'),
  132012: refuse('A value has not the form that the template needs.'),
  132015: refuse('WhatsApp has paused this template because people did not like it.'),
  132016: refuse('WhatsApp has disabled this template.'),
  132068: refuse('The flow of this template is blocked.'),
  132069: refuse('The flow of this template is slowed down by WhatsApp.'),
  135000: refuse('WhatsApp could not send this message to this person.'),
  137000: refuse('The identity of this person has changed.'),
}

const unknownError = refuse('WhatsApp refused this message.')

/** The known error of a code; a hundred permission codes share one. */
export function findKnownError(code: number): KnownError {
  if (code >= 200 && code <= 299) return down
  return known[code] ?? unknownError
}

const windowIsClosed = 131047

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

/** A failed message's error, so that an app can offer a remedy. */
export interface SendFailure {
  code: string
  words: string
}

/** @param code Meta's; null for an answer that is not Meta's */
export function describeProviderFailure(code: number | null, words?: string): SendFailure {
  if (code === windowIsClosed) return windowClosed
  if (code === null)
    return { code: 'whatsapp_refused', words: words ?? 'WhatsApp refused this message.' }
  return { code: `whatsapp_${code}`, words: words ?? findKnownError(code).words }
}
