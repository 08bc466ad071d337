import * as z from 'zod/mini'

const count = z.number().check(z.int(), z.gte(0))

/** All settings of the emulator for tests and people. Times in ms. */
export const emulatorConfig = z.strictObject({
  webhookUrl: z.nullable(z.url()),
  appSecret: z.string(),
  verifyToken: z.string(),
  accessToken: z.string(),
  /** The signature of the next webhooks: `altered` changes a byte after signing. */
  signature: z.enum(['right', 'wrong', 'missing', 'altered', 'sha1']),
  /** `v23` has `conversation` in statuses, `v24` omits it. */
  webhookVersion: z.enum(['v23', 'v24']),
  includeBsuid: z.boolean(),
  /** Hides everybody's number. */
  hidePhone: z.boolean(),
  includeMediaUrl: z.boolean(),
  /** A free message outside the window: accepted and failed later, refused at once, or allowed. */
  windowMode: z.enum(['async', 'sync', 'off']),
  limits: z.strictObject({
    perSecond: count,
    pairBurst: count,
    pairRefillMs: count,
    managementPerHour: count,
    includeReserved: z.boolean(),
  }),
  latencies: z.strictObject({ sentMs: count, deliveredMs: count, readMs: count, replyMs: count }),
  /** The maximum random delay of a webhook, from the seed: they overtake each other. */
  jitterMs: count,
  /** Only these digits are valid recipients, as from a test number; null for everybody. */
  allowedRecipients: z.nullable(z.array(z.string())),
})
export type EmulatorConfig = z.infer<typeof emulatorConfig>

/** A configuration change: every part is optional. */
export const configChange = z.partial(
  z.extend(emulatorConfig, {
    limits: z.partial(emulatorConfig.shape.limits),
    latencies: z.partial(emulatorConfig.shape.latencies),
  }),
)
export type ConfigChange = z.infer<typeof configChange>

/** Every emulator's initial accounts and secrets, worthless elsewhere. */
export const emulatorAccount = {
  businessAccountId: '102290129340398',
  appId: '670843887433847',
  numberId: '106540352242922',
  numberDigits: '15550783881',
  secondNumberId: '106540352242923',
  secondNumberDigits: '15550783882',
  accessToken: 'emulator-access-token',
  appSecret: 'emulator-app-secret',
  verifyToken: 'emulator-verify-token',
} as const

export function createConfig(): EmulatorConfig {
  const { accessToken, appSecret, verifyToken } = emulatorAccount
  return {
    webhookUrl: null,
    appSecret,
    verifyToken,
    accessToken,
    signature: 'right',
    webhookVersion: 'v24',
    includeBsuid: true,
    hidePhone: false,
    includeMediaUrl: true,
    windowMode: 'async',
    jitterMs: 0,
    allowedRecipients: null,
    limits: {
      perSecond: 80,
      pairBurst: 45,
      pairRefillMs: 6_000,
      managementPerHour: 5_000,
      includeReserved: false,
    },
    latencies: { sentMs: 50, deliveredMs: 150, readMs: 400, replyMs: 100 },
  }
}

export function changeConfig(config: EmulatorConfig, change: ConfigChange) {
  const { limits, latencies, ...rest } = change
  Object.assign(config, rest)
  Object.assign(config.limits, limits)
  Object.assign(config.latencies, latencies)
}
