import { expect, test } from 'vitest'
import { createLab } from './create-lab.ts'
import type { Step } from './draw-history.ts'
import { runHistory } from './run-history.ts'

/** Ann's devices are 0 and 1, Ben's 2 and 3; all of them have keys. */
const seed = 4
const run = (replay: readonly Step[]) =>
  runHistory({ seed, steps: 0, replay, createLab, shrinkTries: 0 })
const say = (device: number, pick: number): Step => ({ do: 'say', device, pick })

test.each([
  ['the keys stay on the devices', 0],
  ['a device that lost its keys is locked, until the recovery key opens them', 1],
  ['its person begins new keys, and the other devices open them by the recovery key', 2],
])('P13: after a reset password %s', async (_what, pick) => {
  const history: Step[] = [
    say(0, 0),
    say(2, 0),
    { do: 'pause', pick: 50 },
    { do: 'reset-password', device: 0, pick },
    say(2, 2),
    say(0, 2),
    { do: 'pause', pick: 50 },
    { do: 'new-device', device: 1, pick: 0 },
    say(1, 4),
    { do: 'edit', device: 0, pick: 0 },
  ]
  await expect(run(history)).resolves.toBeUndefined()
})

test('P13: an app from before sealing loses nothing, and beside a newer one nothing is changed', async () => {
  const history: Step[] = [
    say(0, 0),
    { do: 'old-app', device: 1 },
    { do: 'say-newer', device: 2, pick: 0 },
    say(1, 2),
    say(2, 4),
    { do: 'pause', pick: 50 },
    // Of what the two wrote to each other: one each of the first three.
    ...[0, 4, 6].map((pick): Step => ({ do: 'star', device: 2, pick })),
    ...[0, 4, 6].map((pick): Step => ({ do: 'edit', device: 2, pick })),
    ...[0, 4, 6].map((pick): Step => ({ do: 'react', device: 0, pick })),
    { do: 'reload', device: 3 },
    { do: 'update-app', device: 1 },
    say(1, 6),
  ]
  await expect(run(history)).resolves.toBeUndefined()
})

test('P13: what a newer app could not send waits for room on the server', async () => {
  const replay: Step[] = [
    { do: 'kill' },
    // The copy of one of the two still finds room.
    { do: 'fill-disk', pick: 918 },
    { do: 'start' },
    { do: 'say-newer', device: 4, pick: 808 },
  ]
  // A lab that writes copy after copy.
  const lab = { seed: 5, steps: 0, createLab, shrinkTries: 0 }
  await expect(runHistory({ ...lab, replay })).resolves.toBeUndefined()
})

test('P13: a device whose sign-in has ended signs in before its person makes new keys on it', async () => {
  const history: Step[] = [
    { do: 'change-password', device: 2, pick: 0 },
    say(3, 0),
    { do: 'pause', pick: 400 },
    { do: 'new-keys', device: 3, pick: 0 },
    say(3, 2),
  ]
  await expect(run(history)).resolves.toBeUndefined()
})

test('P13: drawn histories of keys and of apps of other ages', { timeout: 400_000 }, async () => {
  const only = [
    'say',
    'edit',
    'react',
    'star',
    'reload',
    'pause',
    'offline',
    'online',
    'new-device',
    'change-password',
    'new-keys',
    'reset-password',
    'say-newer',
    'old-app',
    'update-app',
  ] as const
  for (const drawn of [4, 5]) {
    await expect(
      runHistory({ seed: drawn, steps: 30, only, createLab, shrinkTries: 2 }),
    ).resolves.toBeUndefined()
  }
})
