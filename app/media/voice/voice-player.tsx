import { type RefObject, useEffect, useRef, useState } from 'react'
import type { VoiceFacts } from '../../../schema/attached-file.ts'
import { IconButton } from '../../ui/buttons/icon-button.tsx'
import { formatDuration } from '../../ui/format/format-times.ts'
import { useLatest } from '../../ui/hooks/use-latest.ts'
import { type LiveSource, useLiveValue } from '../../ui/hooks/use-live-value.ts'
import { useObjectUrl } from '../loading/use-file.ts'
import styles from './voice-player.module.css'
import { readWaveform } from './waveform.ts'

const speeds = [1, 1.5, 2] as const

const speedKey = 'voiceSpeed'

const listeners = new Set<() => void>()

/** The speed on a device that cannot store it: lasts until the page closes. */
const passing: { speed?: VoiceSpeed } = {}

/** The playback speed of all voice messages on this device. */
const voiceSpeed: LiveSource<VoiceSpeed> = {
  getSnapshot: () =>
    passing.speed ?? speeds.find((speed) => String(speed) === localStorage.getItem(speedKey)) ?? 1,
  subscribe(listener) {
    // Another tab may have changed it.
    const onStorage = ({ key }: StorageEvent) => key === speedKey && listener()
    addEventListener('storage', onStorage)
    listeners.add(listener)
    return () => {
      removeEventListener('storage', onStorage)
      listeners.delete(listener)
    }
  },
}

interface VoicePlayerProps {
  /** Undefined while not on this device. */
  bytes: Blob | undefined
  voice: VoiceFacts
  /** Why it cannot play yet, shown in place of the time. */
  note?: string | undefined
  /** Called when the person wants to play an unloaded file. */
  onWant?(): void
  onBroken?(): void
}

/** Plays a voice message: pointer, finger or keyboard seek on its waveform. */
export function VoicePlayer({ bytes, voice, note, onWant, onBroken }: VoicePlayerProps) {
  const { durationMs, waveform } = voice
  const playback = usePlayback(bytes, durationMs)
  const { isPlaying, at, rate } = playback
  const left = isPlaying || at > 0 ? durationMs - at : durationMs
  return (
    <div className={styles.player} dir="ltr" data-active={isPlaying || at > 0}>
      <audio {...playback.element} onError={onBroken} />
      <IconButton
        className={styles.play}
        icon={isPlaying ? 'pause' : 'play'}
        label={isPlaying ? 'Pause' : 'Play'}
        onClick={() => {
          if (isPlaying) return playback.pause()
          playback.play()
          if (!bytes) onWant?.()
        }}
      />
      <div className={styles.middle}>
        <Seeker
          at={at}
          durationMs={durationMs}
          bars={readWaveform(waveform)}
          onSeek={playback.seek}
        />
        <span className={styles.time}>{note ?? formatDuration(left)}</span>
      </div>
      <button
        type="button"
        className={styles.rate}
        aria-label={`Speed ${rate}×`}
        onClick={playback.changeRate}
      >
        {rate}×
      </button>
    </div>
  )
}

interface SeekerProps {
  at: number
  durationMs: number
  bars: readonly number[]
  onSeek(to: number): void
}

function Seeker({ at, durationMs, bars, onSeek }: SeekerProps) {
  const slider = useRef<HTMLDivElement>(null)
  useSeeking(slider, { at, durationMs, onSeek })
  const share = durationMs > 0 ? at / durationMs : 0
  const path = bars.map((bar, index) => {
    const high = Math.max(0.06, bar) * 11
    return `M${index + 0.5} ${12 - high}V${12 + high}`
  })
  const drawing = { d: path.join(''), vectorEffect: 'non-scaling-stroke' }
  return (
    <div
      ref={slider}
      className={styles.seeker}
      role="slider"
      tabIndex={0}
      aria-label="Position"
      aria-valuemin={0}
      aria-valuemax={Math.max(1, Math.round(durationMs / 1_000))}
      aria-valuenow={Math.round(at / 1_000)}
      aria-valuetext={`${formatDuration(at)} of ${formatDuration(durationMs)}`}
    >
      <svg viewBox={`0 0 ${bars.length} 24`} preserveAspectRatio="none" aria-hidden="true">
        <path {...drawing} />
        <path
          {...drawing}
          className={styles.played}
          style={{ clipPath: `inset(0 ${100 - share * 100}% 0 0)` }}
        />
      </svg>
    </div>
  )
}

/** Stops key and touch events on the waveform, which the list around it also handles. */
function useSeeking(
  slider: { current: HTMLDivElement | null },
  options: Pick<SeekerProps, 'at' | 'durationMs' | 'onSeek'>,
): void {
  const latest = useLatest(options)
  useEffect(() => {
    const element = slider.current
    if (!element) return
    const seekToPointer = ({ clientX }: PointerEvent) => {
      const { left, width } = element.getBoundingClientRect()
      latest.current.onSeek(((clientX - left) / width) * latest.current.durationMs)
    }
    const listeners = {
      pointerdown(event: PointerEvent) {
        event.stopPropagation()
        if (event.button !== 0) return
        element.setPointerCapture(event.pointerId)
        seekToPointer(event)
      },
      pointermove(event: PointerEvent) {
        if (element.hasPointerCapture(event.pointerId)) seekToPointer(event)
      },
      keydown(event: KeyboardEvent) {
        const { at, durationMs, onSeek } = latest.current
        const to = stepByKey(event.key, at, durationMs)
        if (to === undefined) return
        event.preventDefault()
        event.stopPropagation()
        onSeek(to)
      },
    }
    const added = new AbortController()
    for (const [name, listener] of Object.entries(listeners)) {
      element.addEventListener(name, listener as EventListener, { signal: added.signal })
    }
    return () => added.abort()
  }, [slider, latest])
}

/** A step is a tenth, at most 5 s. */
function stepByKey(key: string, at: number, durationMs: number): number | undefined {
  const step = Math.min(5_000, durationMs / 10)
  switch (key) {
    case 'ArrowRight':
    case 'ArrowUp':
      return at + step
    case 'ArrowLeft':
    case 'ArrowDown':
      return at - step
    case 'Home':
      return 0
    case 'End':
      return durationMs
    default:
      return undefined
  }
}

type VoiceSpeed = (typeof speeds)[number]

/**
 * Plays loaded audio. `at` and `durationMs` in ms.
 * @param durationMs measured by the recorder: a browser's recording does not contain it
 */
function usePlayback(bytes: Blob | undefined, durationMs: number) {
  const audio = useRef<HTMLAudioElement>(null)
  const url = useObjectUrl(bytes)
  const [isPlaying, setIsPlaying] = useState(false)
  const [at, setAt] = useState(0)
  const rate = useLiveValue(voiceSpeed)
  /** Seeking works once the duration is known. */
  const isReady = useRef(false)
  const wish = useRef({ isPlaying: false, at: 0 })
  usePausesForOthers(audio)
  useEffect(() => {
    if (audio.current) audio.current.playbackRate = rate
  }, [rate])

  function start(element: HTMLAudioElement) {
    isReady.current = true
    element.currentTime = wish.current.at / 1_000
    if (wish.current.isPlaying) void element.play().catch(() => {})
  }

  return {
    isPlaying,
    at: Math.min(at, durationMs),
    rate,
    /** Plays now, or as soon as the bytes load. */
    play() {
      wish.current.isPlaying = true
      const element = audio.current
      if (element && isReady.current) void element.play().catch(() => {})
    },
    pause() {
      wish.current.isPlaying = false
      audio.current?.pause()
    },
    seek(to: number) {
      const place = Math.min(durationMs, Math.max(0, to))
      wish.current.at = place
      setAt(place)
      if (audio.current && isReady.current) audio.current.currentTime = place / 1_000
    },
    changeRate: chooseNextVoiceSpeed,
    /** Props for the audio element. */
    element: {
      ref: audio,
      src: url,
      preload: 'auto' as const,
      onLoadStart() {
        isReady.current = false
      },
      onLoadedMetadata({ currentTarget: element }: { currentTarget: HTMLAudioElement }) {
        element.playbackRate = rate
        if (Number.isFinite(element.duration)) start(element)
        // A seek beyond the end makes the browser read to the end and find the duration.
        else element.currentTime = 1e7
      },
      onDurationChange({ currentTarget: element }: { currentTarget: HTMLAudioElement }) {
        if (!isReady.current && element.currentTime > 0 && Number.isFinite(element.duration)) {
          start(element)
        }
      },
      onTimeUpdate({ currentTarget: element }: { currentTarget: HTMLAudioElement }) {
        if (isReady.current && !element.seeking) setAt(element.currentTime * 1_000)
      },
      onPlay: () => setIsPlaying(true),
      onPause: () => setIsPlaying(false),
      onEnded({ currentTarget: element }: { currentTarget: HTMLAudioElement }) {
        // This was only the seek that measures the duration; the audio is back at its start.
        if (!element.ended) return
        wish.current = { isPlaying: false, at: 0 }
        element.currentTime = 0
        setAt(0)
      },
    },
  }
}

/** Pauses when another starts: only one plays at a time. */
function usePausesForOthers(audio: RefObject<HTMLAudioElement | null>): void {
  useEffect(() => {
    const onPlay = ({ target }: Event) => {
      if (target !== audio.current) audio.current?.pause()
    }
    // `play` does not bubble, but can be captured.
    document.addEventListener('play', onPlay, { capture: true })
    return () => document.removeEventListener('play', onPlay, { capture: true })
  }, [audio])
}

/** Chooses the next faster speed; wraps after the fastest. */
function chooseNextVoiceSpeed(): void {
  const next = speeds[(speeds.indexOf(voiceSpeed.getSnapshot()) + 1) % speeds.length] ?? 1
  delete passing.speed
  try {
    localStorage.setItem(speedKey, String(next))
  } catch {
    passing.speed = next
  }
  for (const listener of [...listeners]) listener()
}
