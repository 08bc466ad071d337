import { type RefObject, useEffect, useRef, useState } from 'react'
import type { AttachedFile } from '../../../schema/attached-file.ts'
import { wordsOf } from '../../../schema/helpers/words-of.ts'
import { limits } from '../../../schema/limits.ts'
import type { MediaType } from '../../../schema/media.ts'
import type { Messenger } from '../../sync/messenger-types.ts'
import { IconButton } from '../../ui/buttons/icon-button.tsx'
import { Dialog } from '../../ui/dialogs/dialog.tsx'
import { isComposing } from '../../ui/fields/is-composing.ts'
import { formatBytes } from '../../ui/format/format-bytes.ts'
import { DialogForm } from '../../ui/forms/dialog-form.tsx'
import { useMediaQuery } from '../../ui/hooks/use-media-query.ts'
import { Icon } from '../../ui/icons/icon.tsx'
import { useObjectUrl } from '../loading/use-object-url.ts'
import type { SeenFile } from '../pictures/draw-preview.ts'
import { makePreview } from '../pictures/make-preview.ts'
import { makeVideoPreview } from '../pictures/make-video-preview.ts'
import { shrinkPicture } from '../pictures/shrink-picture.ts'
import styles from './send-files-dialog.module.css'

/** The types that browsers draw and that the server accepts as pictures. */
const pictures = /^image\/(jpeg|png|gif|webp|avif)$/

const longestName = 200

interface SendFilesDialogProps {
  messenger: Pick<Messenger, 'commands'>
  peerId: string
  files: readonly File[]
  /** Send pictures unchanged, neither shrunk nor without their metadata. */
  isUntouched: boolean
  sending: { replyTo: string | undefined; onSent(): void }
  initialCaption?: string | undefined
  /** Called when one file is stored on the device as a message. */
  onFileSent?: ((file: File) => Promise<void>) | undefined
  onClose(): void
}

/** Previews the files, takes a caption, and sends each file as a message of its own. */
export function SendFilesDialog(props: SendFilesDialogProps) {
  const { messenger, peerId, sending, onClose } = props
  const [chosen, setChosen] = useState(() => props.files.map((file, id) => ({ id, file })))
  const [caption, setCaption] = useState(props.initialCaption ?? '')
  const [problem, setProblem] = useState<string>()
  const [isBusy, setIsBusy] = useState(false)
  const hasKeyboard = useMediaQuery('(hover: hover) and (pointer: fine)')
  const list = useRef<HTMLUListElement>(null)
  const field = useRef<HTMLTextAreaElement>(null)
  const hasLeft = useRef(false)
  const isReplySent = useRef(false)

  /** Also during the sending: what is not stored by then stays unsent. */
  function leave() {
    hasLeft.current = true
    onClose()
  }

  function remove(id: number) {
    setProblem(undefined)
    if (chosen.length === 1) return leave()
    const at = chosen.findIndex((other) => other.id === id)
    const buttons = list.current?.querySelectorAll('button')
    // Before the focused button goes, and the focus with it.
    if (hasKeyboard) field.current?.focus()
    else (buttons?.[at + 1] ?? buttons?.[at - 1])?.focus()
    setChosen(chosen.filter((other) => other.id !== id))
  }

  async function sendAll() {
    for (const { id, file } of chosen) {
      const bytes = props.isUntouched ? file : await shrinkPicture(file)
      const described = await describeChosenFile(bytes)
      if (hasLeft.current) return
      // The last file gets the caption, so that it follows all of them.
      const content = id === chosen.at(-1)?.id ? caption : ''
      const replyTo = isReplySent.current ? undefined : sending.replyTo
      const sent = { peerId, bytes, content, ...described, ...(replyTo && { replyTo }) }
      await messenger.commands.sendFile(sent)
      isReplySent.current = true
      await props.onFileSent?.(file)
      setChosen((left) => left.filter((other) => other.id !== id))
    }
  }

  async function submit() {
    if (isBusy) return
    setIsBusy(true)
    setProblem(undefined)
    try {
      await sendAll()
      // By now other files may have been chosen.
      if (hasLeft.current) return
      onClose()
      sending.onSent()
    } catch (cause) {
      setProblem(wordsOf(cause))
      setIsBusy(false)
    }
  }

  return (
    <Dialog
      title={chosen.length === 1 ? 'Send file' : `Send ${chosen.length} files`}
      onClose={leave}
    >
      <DialogForm
        action="Send"
        problem={problem}
        isBusy={isBusy}
        onSubmit={() => void submit()}
        onLeave={leave}
      >
        <ul className={styles.files} ref={list}>
          {chosen.map(({ id, file }) => (
            <ChosenFile key={id} file={file} isBusy={isBusy} onRemove={() => remove(id)} />
          ))}
        </ul>
        <Caption
          field={field}
          text={caption}
          hasKeyboard={hasKeyboard}
          onChange={setCaption}
          onSubmit={() => void submit()}
        />
      </DialogForm>
    </Dialog>
  )
}

interface CaptionProps {
  field: RefObject<HTMLTextAreaElement | null>
  text: string
  hasKeyboard: boolean
  onChange(text: string): void
  onSubmit(): void
}

function Caption({ field, text, hasKeyboard, onChange, onSubmit }: CaptionProps) {
  // A touch keyboard would cover the files.
  useEffect(() => {
    const element = field.current
    if (!element || !hasKeyboard) return
    element.focus({ preventScroll: true })
    element.setSelectionRange(element.value.length, element.value.length)
  }, [field, hasKeyboard])
  return (
    <textarea
      ref={field}
      className={styles.caption}
      rows={2}
      maxLength={limits.messageMaxCharacters}
      placeholder="Add a caption"
      aria-label="Add a caption"
      dir="auto"
      value={text}
      onChange={(event) => onChange(event.target.value)}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' || event.shiftKey || !hasKeyboard) return
        if (isComposing(event.nativeEvent)) return
        event.preventDefault()
        onSubmit()
      }}
    />
  )
}

function ChosenFile(props: { file: File; isBusy: boolean; onRemove(): void }) {
  const { file, isBusy, onRemove } = props
  const [kind] = file.type.split('/')
  const url = useObjectUrl(kind === 'image' || kind === 'video' ? file : undefined)
  const [isBroken, setIsBroken] = useState(false)
  const onError = () => setIsBroken(true)
  return (
    <li className={styles.file}>
      <span className={styles.thumb}>
        {url && !isBroken && kind === 'image' && <img src={url} alt="" onError={onError} />}
        {url && !isBroken && kind === 'video' && (
          // Safari draws no frame before a seek.
          <video
            src={`${url}#t=0.001`}
            muted={true}
            playsInline={true}
            preload={'metadata'}
            tabIndex={-1}
            aria-hidden
            onError={onError}
          />
        )}
        {(!url || isBroken) && <Icon name={kind === 'video' ? 'video' : 'file'} size={24} />}
      </span>
      <span className={styles.words}>
        <span className={styles.name} dir="auto">
          {file.name}
        </span>
        <span className={styles.size}>{formatBytes(file.size)}</span>
      </span>
      <IconButton
        icon="close"
        label={`Remove ${file.name}`}
        isSmall
        disabled={isBusy}
        onClick={onRemove}
      />
    </li>
  )
}

/** The `file` field for a chosen file's message. @throws with words for a person */
async function describeChosenFile(file: File): Promise<{ type: MediaType; about: AttachedFile }> {
  const name = shorten(file.name.trim()) || 'file'
  if (file.size === 0) throw new Error(`“${name}” is empty. Choose another file.`)
  // A folder, or a file that was moved or changed since: storing it would fail as on a full disk.
  await file
    .slice(0, 1)
    .arrayBuffer()
    .catch((cause: unknown) => {
      throw new Error(`“${name}” can't be read. Choose another file.`, { cause })
    })
  const mimeType = file.type.slice(0, 200)
  const { type, seen } = await look(file, mimeType)
  return { type, about: { name, size: file.size, mimeType, ...seen } }
}

async function look(
  file: File,
  mimeType: string,
): Promise<{ type: MediaType; seen?: SeenFile | undefined }> {
  if (mimeType.startsWith('video/')) return { type: 'video', seen: await makeVideoPreview(file) }
  if (mimeType.startsWith('audio/')) return { type: 'audio' }
  const seen = pictures.test(mimeType) ? await makePreview(file) : undefined
  return { type: seen ? 'image' : 'document', seen }
}

/** Keeps the end: it has the file's extension. */
function shorten(name: string): string {
  const characters = Array.from(name)
  const half = longestName / 2
  if (characters.length <= longestName) return name
  return `${characters.slice(0, half - 1).join('')}…${characters.slice(-half).join('')}`
}
