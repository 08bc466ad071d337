import { emulatorAccount } from './emulator-config.ts'
import { type StoredTemplate, seedTemplates } from './seed-templates.ts'
import { createSeededRandom, type SeededRandom } from './seeded-random.ts'

export type StatusName = 'sent' | 'delivered' | 'read' | 'played' | 'failed'

export interface BusinessNumber {
  id: string
  digits: string
  countryCode: string
  verifiedName: string
  isRegistered: boolean
  profile: Record<string, unknown>
  /** Digits of blocked people. */
  blocked: Set<string>
}

export interface Customer {
  digits: string
  waId: string
  bsuid: string
  name: string
  isPhoneHidden: boolean
}

export interface SentMessage {
  wamid: string
  phoneNumberId: string
  /** The recipient as Meta reads it: `+` and digits, or an id within the business. */
  to: string
  customer: Customer
  type: string
  /** The request's body, unchanged. */
  request: Record<string, unknown>
  acceptedAt: number
  callbackData: string | null
  statuses: { status: StatusName; at: number; errorCode: number | null }[]
  /** Waits for a control call to release it. */
  isHeld: boolean
}

export interface ReceivedMessage {
  wamid: string
  phoneNumberId: string
  customer: Customer
  /** The message as in the webhook. */
  message: Record<string, unknown> & { type: string }
  at: number
  isRead: boolean
}

export interface StoredMedia {
  id: string
  phoneNumberId: string
  mimeType: string
  bytes: Uint8Array
  /** Hexadecimal. */
  sha256: string
  expiresAt: number
  /** When each issued address expires, by its hash. */
  addresses: Map<string, number>
}

export type EmulatorState = ReturnType<typeof createEmulatorState>

/** The emulator's whole state. `reset` starts over, with the same ids to come. */
export function createEmulatorState({ seed }: { seed: number }) {
  const fresh = () => ({
    random: createSeededRandom(seed) as SeededRandom,
    numbers: new Map(seedNumbers().map((number) => [number.id, number])),
    templates: seedTemplates() as StoredTemplate[],
    media: new Map<string, StoredMedia>(),
    customers: new Map<string, Customer>(),
    sent: [] as SentMessage[],
    received: [] as ReceivedMessage[],
    /** When each window ends, epoch ms, by number and person. */
    windows: new Map<string, number>(),
    /** How often each scripted refusal occurred, and when first. */
    refusals: new Map<string, { count: number; since: number }>(),
    subscriptions: { isVerified: false, apps: new Set<string>([emulatorAccount.appId]) },
  })
  const state = fresh()
  return Object.assign(state, { reset: () => Object.assign(state, fresh()) })
}

function seedNumbers(): BusinessNumber[] {
  const { numberId, numberDigits, secondNumberId, secondNumberDigits } = emulatorAccount
  const ready = { countryCode: '1', isRegistered: true }
  return [
    {
      id: numberId,
      digits: numberDigits,
      verifiedName: 'Lucky Shrub',
      ...ready,
      profile: { about: 'Plants for dry gardens' },
      blocked: new Set(),
    },
    {
      id: secondNumberId,
      digits: secondNumberDigits,
      verifiedName: 'Lucky Shrub Care',
      ...ready,
      profile: {},
      blocked: new Set(),
    },
  ]
}
