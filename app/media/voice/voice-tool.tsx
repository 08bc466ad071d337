import { type ComponentType, type PointerEvent, useEffect, useRef, useState } from 'react'
import { createPortal } from 'react-dom'
import type { AttachedFile } from '../../../schema/attached-file.ts'
import type { VoiceDraft } from '../../database/files/voice-drafts.ts'
import type { Messenger } from '../../sync/messenger-types.ts'
import { IconButton } from '../../ui/buttons/icon-button.tsx'
import { useLatest } from '../../ui/hooks/use-latest.ts'
import { logProblem } from '../../ui/product.ts'
import type { Voice } from './step-voice.ts'
import type { VoicePanelProps } from './voice-panel.tsx'
import type { VoiceRecorder } from './voice-recorder.ts'
import styles from './voice-tool.module.css'

/** A press longer than this is no click. */
const clickMs = 400

/** How far, px, the finger moves left to cancel, or up to record without it. */
const [cancelPx, lockPx] = [90, 70]

/** Best first: the formats that most browsers play and that the server accepts as audio. */
const formats = [
  'audio/webm;codecs=opus',
  'audio/ogg;codecs=opus',
  'audio/mp4;codecs=mp4a.40.2',
  'audio/mp4',
] as const

/** The formats of these that WhatsApp takes. */
const customerFormats: readonly string[] = ['audio/ogg;codecs=opus', 'audio/mp4;codecs=mp4a.40.2']

interface VoiceToolProps {
  messenger: Messenger
  peerId: string
  /** WhatsApp accepts fewer formats. */
  isForCustomer: boolean
  tools: {
    field: { current: HTMLElement | null }
    /** An element in Send's place; null while the field has text. */
    end: HTMLElement | null
    /** An element that replaces the field and all tools. */
    over: HTMLElement | null
    sending?: { replyTo: string | undefined; onSent(): void } | undefined
  }
}

interface OpenVoice {
  recorder: VoiceRecorder
  Panel: ComponentType<VoicePanelProps>
}

/**
 * The composer's microphone: held, it records until release; clicked, until stopped. Offers a
 * recording that was neither sent nor discarded last time again.
 */
export function VoiceTool({ messenger, peerId, isForCustomer, tools }: VoiceToolProps) {
  const [format] = useState(() => findVoiceFormat({ isForCustomer }))
  const [open, setOpen] = useState<OpenVoice>()
  /** True from the press on, long before the microphone opens. */
  const isBusy = useRef(false)
  const isShown = useRef(false)
  const isOffered = format !== undefined && tools.sending !== undefined
  const latest = useLatest(tools.sending)

  async function store(voice: Voice, id: string) {
    // What is answered may change while this is being stored.
    const sending = latest.current
    const replyTo = sending?.replyTo
    const about = describeVoice(voice)
    const { bytes } = voice
    await messenger.commands.sendFile({
      id,
      peerId,
      bytes,
      about,
      type: 'audio',
      content: '',
      ...(replyTo && { replyTo }),
    })
    sending?.onSent()
  }

  async function openPanel(begin: { draft: VoiceDraft } | { format: string; isHeld: boolean }) {
    isBusy.current = true
    try {
      const [{ createVoiceRecorder }, { VoicePanel }, drafts] = await Promise.all([
        import('./voice-recorder.ts'),
        import('./voice-panel.tsx'),
        messenger.openVoiceDrafts(),
      ])
      // The person left meanwhile: nothing would close the microphone again.
      if (!isShown.current) return undefined
      const recorder = createVoiceRecorder({ peerId, drafts, begin, store })
      setOpen({ recorder, Panel: VoicePanel })
      return recorder
    } catch (cause) {
      isBusy.current = false
      logProblem("The recorder couldn't be loaded", cause)
      return undefined
    }
  }

  async function press(isHeld: boolean, hold?: Promise<HoldEnd>) {
    if (isBusy.current || format === undefined) return
    for (const player of document.querySelectorAll<HTMLMediaElement>('audio, video')) player.pause()
    const recorder = await openPanel({ format, isHeld })
    const end = await hold
    if (end === 'cancel') recorder?.tell({ kind: 'discarded' })
    else if (end) recorder?.tell({ kind: end === 'send' ? 'sent' : 'locked' })
  }

  useEffect(() => {
    isShown.current = true
    return () => {
      isShown.current = false
    }
  }, [])
  const openDraft = useLatest(openPanel)
  useEffect(() => {
    if (!isOffered) return
    let isOver = false
    async function look() {
      const draft = await (await messenger.openVoiceDrafts()).read(peerId)
      if (draft && !isOver && !isBusy.current) await openDraft.current({ draft })
    }
    look().catch((cause) => logProblem("What was recorded before couldn't be read", cause))
    return () => {
      isOver = true
    }
  }, [isOffered, messenger, peerId, openDraft])
  const { field } = tools
  useEffect(() => {
    if (!open) return
    return () => {
      void open.recorder.close()
      // On a phone the focus would open the keyboard.
      if (matchMedia('(hover: hover) and (pointer: fine)').matches) {
        field.current?.focus({ preventScroll: true })
      }
    }
  }, [open, field])

  if (!isOffered) return null
  return (
    <>
      {tools.end &&
        createPortal(
          <IconButton
            className={styles.button}
            icon="mic"
            label="Record voice message"
            onPointerDown={(event: PointerEvent) => {
              if (event.button !== 0) return
              // A phone's keyboard stays open only if the field keeps the focus.
              event.preventDefault()
              void press(true, followHold(event))
            }}
            // For the keyboard; a finger or mouse press has already started recording.
            onClick={() => void press(false)}
            // A long press opens no context menu.
            onContextMenu={(event) => event.preventDefault()}
          />,
          tools.end,
        )}
      {open &&
        tools.over &&
        createPortal(
          <open.Panel
            recorder={open.recorder}
            onAgain={() => {
              isBusy.current = false
              void press(false)
            }}
            onOver={() => {
              isBusy.current = false
              setOpen(undefined)
            }}
          />,
          tools.over,
        )}
    </>
  )
}

function describeVoice({ bytes, durationMs, waveform }: Voice): AttachedFile {
  const mimeType = bytes.type.split(';')[0] ?? ''
  const ending = mimeType === 'audio/mp4' ? 'm4a' : mimeType.replace('audio/', '')
  const name = `Voice message.${ending}`
  return { name, size: bytes.size, mimeType, voice: { durationMs, waveform } }
}

/**
 * The format in which this browser can record for a chat; undefined if there is none.
 * @param canRecord can this browser record in the format?
 */
export function findVoiceFormat({
  isForCustomer,
  canRecord = canRecordHere,
}: {
  isForCustomer: boolean
  canRecord?: (format: string) => boolean
}): string | undefined {
  return formats.find(
    (format) => canRecord(format) && (!isForCustomer || customerFormats.includes(format)),
  )
}

function canRecordHere(format: string): boolean {
  // Only pages loaded by HTTPS or from localhost have access to devices.
  if (typeof MediaRecorder === 'undefined' || !navigator.mediaDevices) return false
  return MediaRecorder.isTypeSupported(format)
}

/**
 * Tracks the finger that pressed the microphone, wherever it moves, until its gesture is decided.
 */
function followHold(press: {
  pointerId: number
  clientX: number
  clientY: number
  timeStamp: number
}): Promise<HoldEnd> {
  return new Promise((resolve) => {
    const added = new AbortController()
    const follow = (type: 'move' | 'up' | 'taken') => (event: globalThis.PointerEvent) => {
      if (event.pointerId !== press.pointerId) return
      const end = stepHold({
        type,
        right: event.clientX - press.clientX,
        down: event.clientY - press.clientY,
        heldMs: event.timeStamp - press.timeStamp,
      })
      if (!end) return
      added.abort()
      resolve(end)
    }
    const { signal } = added
    const [onMove, onTaken] = [follow('move'), follow('taken')]
    addEventListener(
      'pointermove',
      // The person may release the mouse over the browser's permission prompt, where no page gets
      // the event.
      (event) => (event.buttons === 0 ? onTaken(event) : onMove(event)),
      { signal },
    )
    addEventListener('pointerup', follow('up'), { signal })
    addEventListener('pointercancel', onTaken, { signal })
  })
}

/** `lock`: recording continues without the finger. */
type HoldEnd = 'send' | 'lock' | 'cancel'

/**
 * The meaning of a finger's gesture on the microphone. `right` and `down`: its distance from the
 * start, px.
 */
export function stepHold(finger: {
  type: 'move' | 'up' | 'taken'
  right: number
  down: number
  heldMs: number
}): HoldEnd | undefined {
  const { type, right, down, heldMs } = finger
  // The browser cancelled the touch: that must not discard the recording.
  if (type === 'taken') return 'lock'
  if (type === 'up') return heldMs < clickMs ? 'lock' : 'send'
  if (-right >= cancelPx && -right > -down) return 'cancel'
  return -down >= lockPx ? 'lock' : undefined
}
