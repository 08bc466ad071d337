import { useEffect, useRef } from 'react'
import type { VoiceFacts } from '../../../schema/attached-file.ts'
import { IconButton } from '../../ui/buttons/icon-button.tsx'
import { formatDuration } from '../../ui/format/format-duration.ts'
import { useLatest } from '../../ui/hooks/use-latest.ts'
import { usePlayback } from './use-playback.ts'
import styles from './voice-player.module.css'
import { readWaveform } from './waveform.ts'

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
    <div className={styles.player} dir="ltr">
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
