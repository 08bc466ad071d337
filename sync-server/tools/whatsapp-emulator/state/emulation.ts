import { createEmulatorClock, type EmulatorClock } from './emulator-clock.ts'
import { createConfig, type EmulatorConfig } from './emulator-config.ts'
import { createEmulatorState, type EmulatorState } from './emulator-state.ts'
import { createRateLimits, type RateLimits } from './rate-limits.ts'
import { createRules, type Rules } from './rules.ts'
import { createWebhookSender, type WebhookSender } from './webhook-sender.ts'

/** The parts shared by all answers of the emulator. */
export interface Emulation {
  config: EmulatorConfig
  clock: EmulatorClock
  state: EmulatorState
  limits: RateLimits
  rules: Rules
  webhooks: WebhookSender
  /** Its address, without a slash at the end. */
  place: { url: string }
}

export function createEmulation(options: {
  clock: Parameters<typeof createEmulatorClock>[0]
  seed: number
}): Emulation {
  const config = createConfig()
  const clock = createEmulatorClock(options.clock)
  const state = createEmulatorState({ seed: options.seed })
  const limits = createRateLimits({ config, now: clock.now })
  const webhooks = createWebhookSender({ config, clock, state })
  return { config, clock, state, limits, webhooks, rules: createRules(), place: { url: '' } }
}

/** Starts over, but keeps the configuration. */
export function resetEmulation({ clock, state, limits, rules, webhooks }: Emulation) {
  const { isVerified } = state.subscriptions
  clock.clear()
  state.reset()
  state.subscriptions.isVerified = isVerified
  limits.reset()
  rules.reset()
  webhooks.reset()
}
