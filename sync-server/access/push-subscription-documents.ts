import type { PushSubscriptionBody } from '../../schema/api/push.ts'

/** The pair that signs pushes. */
export interface PushKeysDocument {
  _id: 'push-keys'
  publicKey: string
  privateKey: string
  _deleted?: true
}

/** Where one sign-in's device is pushed to. */
export interface PushDocument extends PushSubscriptionBody {
  _id: `push:${string}`
  userId: string
  sessionId: string
  /** Epoch ms. */
  addedAt: number
  _deleted?: true
}

/** Who has an endpoint: a browser is one person's, the last that said so. */
export interface PushEndpointDocument {
  _id: `push-at:${string}`
  userId: string
  sessionId: string
  _deleted?: true
}
