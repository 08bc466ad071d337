import { type ComponentType, type PointerEvent, useEffect, useRef, useState } from 'react'
import { createPortal } from 'react-dom'
import type { AttachedFile } from '../../../schema/attached-file.ts'
import type { VoiceDraft } from '../../database/files/voice-drafts.ts'
import type { Messenger } from '../../sync/messenger-types.ts'
import { IconButton } from '../../ui/buttons/icon-button.tsx'
import { useLatest } from '../../ui/hooks/use-latest.ts'
import { logProblem } from '../../ui/log-problem.ts'
import { followHold } from './follow-hold.ts'
import type { HoldEnd } from './step-hold.ts'
import type { Voice } from './step-voice.ts'
import { findVoiceFormat } from './voice-format.ts'
import type { VoicePanelProps } from './voice-panel.tsx'
import type { VoiceRecorder } from './voice-recorder.ts'
import styles from './voice-tool.module.css'

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
