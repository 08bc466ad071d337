import { type RefObject, useEffect, useRef, useState } from 'react'
import { type LiveSource, useLiveValue } from '../../ui/hooks/use-live-value.ts'
import { useObjectUrl } from '../loading/use-object-url.ts'

const speeds = [1, 1.5, 2] as const

type VoiceSpeed = (typeof speeds)[number]

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

/**
 * Plays loaded audio. `at` and `durationMs` in ms.
 * @param durationMs measured by the recorder: a browser's recording does not contain it
 */
export function usePlayback(bytes: Blob | undefined, durationMs: number) {
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
