import { useEffect, useRef } from 'react'
import { IconButton } from '../../ui/buttons/icon-button.tsx'
import { formatDuration } from '../../ui/format/format-times.ts'
import { useLiveValue } from '../../ui/hooks/use-live-value.ts'
import { Icon } from '../../ui/icons/icon.tsx'
import { VisuallyHidden } from '../../ui/layout/page.tsx'
import type { VoiceEvent, VoiceState } from './step-voice.ts'
import styles from './voice-panel.module.css'
import { VoicePlayer } from './voice-player.tsx'
import type { VoiceRecorder } from './voice-recorder.ts'

export interface VoicePanelProps {
  recorder: VoiceRecorder
  /** Starts another recording after one that could not start. */
  onAgain(): void
  /** Called when it is sent or discarded. */
  onOver(): void
}

/** A voice message before it is sent, in the field's place: while recording, and to play it. */
export function VoicePanel({ recorder, onAgain, onOver }: VoicePanelProps) {
  const state = useLiveValue(recorder.state)
  const isOver = state.kind === 'over'
  useEffect(() => {
    if (isOver) onOver()
  }, [isOver, onOver])
  const words = 'words' in state ? state.words : undefined
  return (
    <fieldset className={styles.panel} aria-label="Voice message">
      {words && (
        <p className={styles.words} role="alert">
          {words}
        </p>
      )}
      <Row state={state} recorder={recorder} onAgain={onAgain} />
    </fieldset>
  )
}

function Row({
  state,
  recorder,
  onAgain,
}: Pick<VoicePanelProps, 'recorder' | 'onAgain'> & { state: VoiceState }) {
  const panel = useRef<HTMLDivElement>(null)
  const isHeld = 'isHeld' in state && state.isHeld
  useEffect(() => {
    // The focused element is hidden now: focus the next action.
    const { activeElement: active, body } = document
    if (isHeld || (active !== body && active?.getClientRects().length !== 0)) return
    panel.current?.querySelector<HTMLElement>('[data-next]')?.focus({ preventScroll: true })
  })
  const tell =
    (kind: Extract<VoiceEvent, { kind: 'sent' | 'stopped' | 'discarded' }>['kind']) => () =>
      recorder.tell({ kind })
  const discard = <IconButton icon="trash" label="Discard" onClick={tell('discarded')} />
  switch (state.kind) {
    case 'asking':
    case 'recording':
      return (
        <div ref={panel} className={styles.row}>
          {!isHeld && discard}
          <Heard recorder={recorder} isAsking={state.kind === 'asking'} />
          {isHeld ? (
            <span className={styles.hint}>
              <Icon name="back" size={16} />
              Slide to cancel
              <Icon name="lock" size={16} />
              Up to lock
            </span>
          ) : (
            <>
              <IconButton
                data-next
                icon="stop"
                label="Stop"
                disabled={state.kind === 'asking'}
                onClick={tell('stopped')}
              />
              <SendButton isDisabled={state.kind === 'asking'} onClick={tell('sent')} />
            </>
          )}
        </div>
      )
    case 'refused':
      return (
        <div ref={panel} className={styles.row}>
          <button data-next type="button" className={styles.again} onClick={onAgain}>
            Try again
          </button>
          <IconButton icon="close" label="Close" onClick={tell('discarded')} />
        </div>
      )
    case 'ready':
      return (
        <div ref={panel} className={styles.row}>
          {discard}
          <VoicePlayer bytes={state.voice.bytes} voice={state.voice} />
          <SendButton isNext onClick={tell('sent')} />
        </div>
      )
    default:
      return <div ref={panel} className={styles.row} />
  }
}

function SendButton(props: { isNext?: boolean; isDisabled?: boolean; onClick(): void }) {
  return (
    <IconButton
      data-next={props.isNext}
      className={styles.send}
      icon="send"
      label="Send"
      disabled={props.isDisabled}
      onClick={props.onClick}
    />
  )
}

/** The number of drawn levels, a tenth of a second each. */
const shownLevels = 40

/** The current length and loudness. */
function Heard({ recorder, isAsking }: { recorder: VoiceRecorder; isAsking: boolean }) {
  const { durationMs, levels } = useLiveValue(recorder.heard)
  const last = levels.slice(-shownLevels)
  const bars = last.map(({ level }, index) => {
    const x = shownLevels - last.length + index + 0.5
    const high = Math.max(0.04, level) * 10
    return `M${x} ${12 - high}V${12 + high}`
  })
  return (
    <>
      <span className={styles.time}>
        <span className={styles.light} aria-hidden="true" />
        {formatDuration(durationMs)}
        <VisuallyHidden>
          <span role="status">{isAsking ? 'Waiting for the microphone' : 'Recording'}</span>
        </VisuallyHidden>
      </span>
      <svg
        className={styles.wave}
        viewBox={`0 0 ${shownLevels} 24`}
        preserveAspectRatio="none"
        aria-hidden="true"
      >
        <path d={bars.join('')} vectorEffect="non-scaling-stroke" />
      </svg>
    </>
  )
}
