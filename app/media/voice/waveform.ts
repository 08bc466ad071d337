import type { Level } from '../../database/files/voice-drafts.ts'

/** The number of bars of a voice message. */
const barCount = 48
/** The lowest level drawn at full height, above a silent room's noise: silence stays flat. */
const leastLoud = 0.12
const highestDigit = 35

/** The loudness of equal parts of a recording, one digit each, from 0 to z, as in `VoiceFacts`. */
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
      // A short recording, or a page in the background, has bars without levels.
      before = level ?? before
      return Math.round((before / most) * highestDigit).toString(36)
    })
    .join('')
}

/** The bars of a waveform, from 0 to 1; flat for one without levels. */
export function readWaveform(waveform: string): readonly number[] {
  const digits = waveform === '' ? '0'.repeat(barCount) : waveform
  return Array.from(digits, (digit) => Number.parseInt(digit, 36) / highestDigit)
}
