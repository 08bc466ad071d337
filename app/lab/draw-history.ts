import { drawHistory as drawSteps } from './kit/draw-history.ts'

/**
 * One event. Devices, people and messages are numbers, taken modulo: any part of a history is a
 * history.
 */
export type Step =
  | { do: 'say' | 'edit' | 'delete' | 'star' | 'retry' | 'discard'; device: number; pick: number }
  | { do: 'react'; device: number; pick: number }
  | { do: 'send-file' | 'kill-after-enter'; device: number; pick: number }
  | { do: 'read' | 'pin' | 'archive' | 'clear'; device: number; pick: number }
  | { do: 'offline' | 'dark' | 'online' | 'calm' | 'duplicate' | 'reorder'; device: number }
  | { do: 'block' | 'spoil'; device: number }
  | { do: 'lose' | 'delay' | 'refuse' | 'slow' | 'overtake'; device: number; pick: number }
  | { do: 'reload' | 'tab'; device: number }
  | { do: 'clock' | 'disk-fails' | 'disk-fills' | 'refuse-words'; device: number; pick: number }
  | { do: 'between'; device: number; pick: number }
  | { do: 'portal' | 'erase' | 'close-connections'; device: number }
  | { do: 'renew-sign-in' | 'sign-out'; device: number; pick: number }
  | { do: 'new-device' | 'change-password' | 'new-keys'; device: number; pick: number }
  | { do: 'reset-password'; device: number; pick: number }
  | { do: 'say-newer'; device: number; pick: number }
  | { do: 'old-app' | 'update-app'; device: number }
  | { do: 'pause'; pick: number }
  | { do: 'customer-writes' | 'webhook-again'; device: number; pick: number }
  | { do: 'answer-customer'; device: number; pick: number }
  | { do: 'backup' }
  | { do: 'restore'; pick: number }
  | { do: 'kill' | 'start' | 'make-room' }
  | { do: 'kill-at-stage' | 'kill-at-write' | 'fill-disk'; pick: number }

/** Each event's relative frequency. */
const weights: Record<Step['do'], number> = {
  say: 30,
  'send-file': 3,
  edit: 10,
  delete: 10,
  star: 5,
  react: 6,
  retry: 1,
  discard: 1,
  read: 6,
  pin: 3,
  archive: 2,
  clear: 1,
  offline: 4,
  dark: 2,
  online: 8,
  calm: 4,
  duplicate: 3,
  reorder: 3,
  lose: 4,
  delay: 3,
  refuse: 3,
  slow: 2,
  block: 1,
  spoil: 3,
  overtake: 3,
  reload: 4,
  tab: 1,
  'kill-after-enter': 2,
  clock: 2,
  'disk-fails': 2,
  'disk-fills': 2,
  'refuse-words': 2,
  portal: 1,
  between: 3,
  erase: 1,
  'close-connections': 1,
  'renew-sign-in': 1,
  'sign-out': 1,
  'new-device': 1,
  'change-password': 1,
  'new-keys': 0.7,
  'reset-password': 0.7,
  'say-newer': 1,
  'old-app': 1,
  'update-app': 2,
  'customer-writes': 14,
  'webhook-again': 5,
  'answer-customer': 12,
  backup: 0.5,
  restore: 0.5,
  pause: 12,
  kill: 2,
  start: 8,
  'kill-at-stage': 3,
  'kill-at-write': 4,
  'fill-disk': 5,
  'make-room': 5,
}

/** Events that need a business channel, and events that need a server without one. */
const ofChannel: readonly Step['do'][] = ['customer-writes', 'webhook-again', 'answer-customer']
const ofBackups: readonly Step['do'][] = ['backup', 'restore']

/**
 * Draws a history of the given length, deterministic per seed.
 * @param options.only draws these events alone
 * @param options.hasChannel leaves out restores: no device could bring back what a backup lacks of
 * customers
 */
export function drawHistory(options: {
  seed: number
  steps: number
  hasChannel: boolean
  only?: readonly Step['do'][] | undefined
}): Step[] {
  const { seed, steps, only } = options
  const others = options.hasChannel ? ofBackups : ofChannel
  const names = (Object.keys(weights) as Step['do'][]).filter(
    (name) => !others.includes(name) && (only?.includes(name) ?? true),
  )
  const drawn = Object.fromEntries(names.map((name) => [name, weights[name]]))
  // Each kind reads its own numbers and ignores the rest.
  return drawSteps({ seed, steps, weights: drawn }) as Step[]
}
