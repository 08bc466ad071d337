import type { PasswordHasher } from './access/password-hasher.ts'
import type { BudgetLimits } from './budget/budget-limits.ts'
import type { Log } from './lib/log.ts'
import type { Stage } from './messages/acceptance/delivery-types.ts'
import type { PushClock } from './push/push-queue.ts'
import type { StorageOptions } from './storage/storage.ts'
import type { ChannelClock } from './whatsapp/client/channel-clock.ts'

/** Overrides for tests and builds. */
export interface AppOverrides {
  /** The folder of the built app; without it only the API is served. */
  appDir?: string
  log?: Log
  /** bcrypt's cost: 10 unless a test needs many people quickly. */
  passwordCost?: number
  /** One for many apps: starting its threads takes longer than a test's few passwords. */
  hasher?: PasswordHasher
  /** How long a person counts as online after their last device left. */
  presenceGraceMs?: number
  /** The interval between presence announcements, ms. */
  announceEveryMs?: number
  /** Up to this many online, everybody sees everybody's presence. */
  usersOnlineMax?: number
  /** How often a socket must answer a ping. */
  socketPingEveryMs?: number
  /** How often the server confirms to a device that its line is alive, and its place. */
  hereEveryMs?: number
  /** How long an unused database stays open. */
  idleCloseMs?: number
  /** Overrides of the callers' limits. */
  budget?: Partial<BudgetLimits>
  /** Checks every answer against its schema before it leaves: for tests. */
  checkAnswers?: boolean
  /**
   * When false, writes the copies of a message in sequence, as on a CouchDB: for tests of crashes
   * in between.
   */
  isAtomic?: boolean
  /** Stands between the store and LevelDB: for tests of disks that fail. */
  wrapLevel?: StorageOptions['wrapLevel']
  /** The clock of the business channel. */
  channelClock?: ChannelClock
  /** The time of links of new devices, epoch ms. */
  deviceLinkNow?: () => number
  /** How long another server may take to answer for a link. */
  deviceLinkAnswersWithinMs?: number
  /** Waits before each retry of a failed webhook. */
  webhookRetryWaitsMs?: readonly number[]
  /** The clock of pushes. */
  pushClock?: PushClock
  /** Lets a push service of the tests run on this machine, over HTTP. */
  isLoopbackPushAllowed?: boolean
  /** About how many messages lie between two stored tallies of a conversation. */
  tallyEvery?: number
  /** How long the healer waits before it tries again what it could not complete, ms. */
  healAgainMs?: number
  /** Runs after each stage of a message's write, and holds it up: for tests of crashes. */
  onStage?: (stage: Stage) => void | Promise<void>
  /** How often TLS_CERT and TLS_KEY are looked at. */
  certificateEveryMs?: number
}
