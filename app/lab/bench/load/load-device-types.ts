import type { Account } from '../../server/server-accounts.ts'
import type { LoadCounts } from './load-connection.ts'
import type { OutgoingMessage } from './outgoing-message.ts'

/** One person's device, as the load drives it. */
export interface LoadDevice {
  /** @throws Error when the server refuses it */
  send(message: OutgoingMessage): Promise<void>
  close(): void
}

export interface DeviceOptions {
  origin: string
  account: Account
  counts: LoadCounts
  /** Called with each message from the other person on this device. */
  onArrived: (messageId: string) => void
  /** A background failure ends the measurement. */
  onError: (error: unknown) => void
}
