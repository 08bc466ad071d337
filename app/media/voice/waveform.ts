import type { Level } from '../../database/files/voice-drafts.ts'

/** How many bars a voice message is drawn with. */
const barCount = 48
/** Louder than the loudest of a room in which nobody speaks: silence stays flat. */
const leastLoud = 0.12
const highestDigit = 35

/** How loud each of equal parts of a recording is, one digit each, from 0 to z: as `VoiceFacts` has it. */
export function foldLevels(levels: readonly Level[], durationMs: number): string {
  const loudest = Array.from({ length: barCount }, (): number | undefined => undefined)
  for (const { at, level } of levels) {
    const bar = Math.min(barCount - 1, Math.max(0, Math.floor((at / durationMs) * barCount)))
    loudest[bar] = Math.max(loudest[bar] ?? 0, level)
  }
  const most = Math.max(leastLoud, ...loudest.map((level) => level ?? 0))
  let before = 0
  return loudest
    .map((level) => {
      // A short recording has bars in which nobody listened; a page in the background has them, too.
      before = level ?? before
      return Math.round((before / most) * highestDigit).toString(36)
    })
    .join('')
}

/** The bars of a waveform, from 0 to 1; of one that says nothing they are flat. */
export function readWaveform(waveform: string): readonly number[] {
  const digits = waveform === '' ? '0'.repeat(barCount) : waveform
  return Array.from(digits, (digit) => Number.parseInt(digit, 36) / highestDigit)
}
