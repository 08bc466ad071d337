import { expect, test } from 'vitest'
import { attachedFile } from '../../../schema/attached-file.ts'
import { limits } from '../../../schema/limits.ts'
import { foldLevels, readWaveform } from './waveform.ts'

const everyTenth = (ms: number, levelAt: (at: number) => number) =>
  Array.from({ length: ms / 10 }, (_, index) => ({ at: index * 10, level: levelAt(index * 10) }))

test('the bars follow the levels, and the loudest has full height', () => {
  const bars = readWaveform(
    foldLevels(
      everyTenth(4_800, (at) => (at < 2_400 ? 0.1 : 0.4)),
      4_800,
    ),
  )
  expect(bars).toHaveLength(48)
  expect(bars.slice(24)).toEqual(Array.from({ length: 24 }, () => 1))
  for (const bar of bars.slice(0, 24)) expect(bar).toBeCloseTo(0.25, 1)
})

test('silence stays flat, and a bar without levels repeats the one before', () => {
  expect(
    foldLevels(
      everyTenth(1_000, () => 0),
      1_000,
    ),
  ).toBe('0'.repeat(48))
  expect(foldLevels([], 1_000)).toBe('0'.repeat(48))
  const gaps = [
    { at: 0, level: 0.5 },
    { at: 500, level: 0 },
  ]
  expect(foldLevels(gaps, 1_000)).toBe('z'.repeat(24) + '0'.repeat(24))
})

test('a level right after the end belongs to the last bar', () => {
  expect(foldLevels([{ at: 1_003, level: 1 }], 1_000)).toBe(`${'0'.repeat(47)}z`)
})

test('the schema accepts a waveform, and refuses an invalid or longer one', () => {
  const parse = (waveform: string, durationMs = 1_000) =>
    attachedFile.safeParse({
      name: 'Voice message.webm',
      size: 1,
      mimeType: 'audio/webm',
      voice: { waveform, durationMs },
    }).success
  expect(parse(foldLevels(everyTenth(1_000, Math.random), 1_000))).toBe(true)
  expect(parse('')).toBe(true)
  for (const wrong of ['A', '0 1', '-', 'z'.repeat(limits.waveformMaxParts + 1)]) {
    expect(parse(wrong), wrong).toBe(false)
  }
  for (const wrong of [0, -1, 1.5, Number.POSITIVE_INFINITY, 86_400_001]) {
    expect(parse('0', wrong), String(wrong)).toBe(false)
  }
})

test('a message of another version without levels is drawn flat', () => {
  expect(readWaveform('')).toEqual(Array.from({ length: 48 }, () => 0))
})
