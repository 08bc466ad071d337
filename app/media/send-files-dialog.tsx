import { Content, Portal, Root, Title } from 'radix-ui/dialog'
import {
  type KeyboardEvent,
  type PointerEvent,
  type RefObject,
  useEffect,
  useRef,
  useState,
} from 'react'
import { wordsOf } from '../../schema/helpers/text.ts'
import { limits } from '../../schema/limits.ts'
import type { Messenger } from '../sync/messenger-types.ts'
import { IconButton } from '../ui/buttons/icon-button.tsx'
import { formatBytes } from '../ui/format/format-amounts.ts'
import { DialogProblem } from '../ui/forms/dialog-form.tsx'
import { isComposing } from '../ui/forms/insert-text.ts'
import { useLatest } from '../ui/hooks/use-latest.ts'
import { useMediaQuery } from '../ui/hooks/use-media-query.ts'
import { Icon } from '../ui/icons/icon.tsx'
import { findFocusPath, returnFocus } from '../ui/layers/find-focus-path.ts'
import { useBackLayer } from '../ui/layers/use-back-layer.ts'
import { joinClassNames } from '../ui/styles/join-class-names.ts'
import { useObjectUrl } from './loading/use-file.ts'
import {
  type Corner,
  canEdit,
  createPreparation,
  editPicture,
  moveCut,
  type PictureCut,
  prepareSticker,
} from './prepare-files.ts'
import styles from './send-files-dialog.module.css'

const whole: PictureCut = { left: 0, top: 0, width: 1, height: 1 }

/** A step of an arrow key, in shares of the picture. */
const keyStep = 0.02

const corners: readonly Corner[] = ['top left', 'top right', 'bottom left', 'bottom right']

interface SendFilesDialogProps {
  messenger: Pick<Messenger, 'commands'>
  peerId: string
  files: readonly File[]
  /** Send pictures unchanged, neither shrunk nor without their metadata. */
  isUntouched: boolean
  /** Is the first picture to become a sticker? */
  isForSticker?: boolean
  sending: { replyTo: string | undefined; onSent(): void }
  initialCaption?: string | undefined
  /** The conversation, which it fills. */
  place: HTMLElement | undefined
  /** Called when one file is stored on the device as a message. */
  onFileSent?: ((file: File) => Promise<void>) | undefined
  onClose(): void
}

interface ChosenFile {
  id: number
  /** As it was given. */
  given: File
  /** As it is now: turned or cut. */
  file: File
  /** Is it sent small, without a bubble, and with its background? */
  isSticker?: boolean
}

/**
 * Fills the conversation with the files before they are sent: one large, the others in a strip. Takes
 * a caption, and sends each file as a message of its own.
 */
export function SendFilesDialog(props: SendFilesDialogProps) {
  const { messenger, peerId, sending, onClose, isUntouched } = props
  const [chosen, setChosen] = useState<readonly ChosenFile[]>(() =>
    props.files.map((file, id) => ({
      id,
      given: file,
      file,
      ...(props.isForSticker && { isSticker: true }),
    })),
  )
  const [shownId, setShownId] = useState(0)
  const [caption, setCaption] = useState(props.initialCaption ?? '')
  const [problem, setProblem] = useState<string>()
  const [isBusy, setIsBusy] = useState(false)
  const [isCutting, setIsCutting] = useState(false)
  const [preparation] = useState(() => createPreparation({ isUntouched }))
  const [returnTo] = useState(findFocusPath)
  const hasKeyboard = useMediaQuery('(hover: hover) and (pointer: fine)')
  const strip = useRef<HTMLFieldSetElement>(null)
  const field = useRef<HTMLTextAreaElement>(null)
  const adder = useRef<HTMLButtonElement>(null)
  const more = useRef<HTMLInputElement>(null)
  const hasLeft = useRef(false)
  const isReplySent = useRef(false)
  const nextId = useRef(props.files.length)
  const shown = chosen.find(({ id }) => id === shownId) ?? chosen[0]
  const file = shown?.file
  const isEditable = useIsEditable(isUntouched ? undefined : file)

  useEffect(() => {
    for (const each of chosen) if (!each.isSticker) preparation.begin(each.file)
  }, [chosen, preparation])

  // Dropped or pasted while it is open.
  const latestAdd = useLatest(add)
  const known = useRef(props.files)
  useEffect(() => {
    if (known.current === props.files) return
    known.current = props.files
    latestAdd.current(props.files)
  }, [props.files, latestAdd])

  /** Also during the sending: what is not stored by then stays unsent. */
  function leave() {
    hasLeft.current = true
    onClose()
  }
  useBackLayer(true, leave)

  function remove(id: number) {
    setProblem(undefined)
    if (chosen.length === 1) return leave()
    const at = chosen.findIndex((other) => other.id === id)
    const next = chosen[at + 1] ?? chosen[at - 1]
    // Before the focused button goes, and the focus with it.
    if (hasKeyboard) field.current?.focus()
    // The last one has no button of its own to remove it.
    else focusAmongFiles(chosen.length > 2 ? next?.id : undefined)
    if (id === shown?.id && next) setShownId(next.id)
    setChosen(chosen.filter((other) => other.id !== id))
  }

  /** The button that removes this file, or the one that adds others. */
  function focusAmongFiles(id: number | undefined) {
    const remover = strip.current?.querySelector<HTMLElement>(`[data-id="${id}"]`)
    const target = remover ?? adder.current
    target?.focus()
  }

  function add(files: readonly File[]) {
    const first = nextId.current
    nextId.current += files.length
    setChosen((now) => [
      ...now,
      ...files.map((given, at) => ({ id: first + at, given, file: given })),
    ])
    if (files.length > 0) setShownId(first)
  }

  function toggleSticker() {
    const id = shown?.id
    setChosen((now) =>
      now.map((each) => (each.id === id ? { ...each, isSticker: !each.isSticker } : each)),
    )
  }

  async function edit(change: Parameters<typeof editPicture>[1]) {
    if (!shown) return
    try {
      const changed = await editPicture(shown.file, change)
      setChosen((now) =>
        now.map((each) => (each.id === shown.id ? { ...each, file: changed } : each)),
      )
    } catch (cause) {
      setProblem(wordsOf(cause))
    }
  }

  async function sendAll() {
    for (const { id, given, file, isSticker } of chosen) {
      const prepared = await (isSticker ? prepareSticker(file) : preparation.finish(file))
      if (hasLeft.current) return
      // The last file gets the caption, so that it follows all of them.
      const content = id === chosen.at(-1)?.id ? caption : ''
      const replyTo = isReplySent.current ? undefined : sending.replyTo
      const messageId = await messenger.commands.sendFile({
        peerId,
        content,
        ...prepared,
        ...(replyTo && { replyTo }),
      })
      if (isSticker) await messenger.commands.setStarred(messageId, true)
      isReplySent.current = true
      await props.onFileSent?.(given)
      setChosen((left) => left.filter((other) => other.id !== id))
    }
  }

  async function submit() {
    if (isBusy || isCutting) return
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
    <Root open onOpenChange={(isOpen) => !isOpen && leave()}>
      <Portal container={props.place}>
        <Content
          className={styles.whole}
          aria-describedby={undefined}
          // A press beside it must not lose what was chosen.
          onInteractOutside={(event) => event.preventDefault()}
          onEscapeKeyDown={(event) => {
            if (!isCutting) return
            event.preventDefault()
            setIsCutting(false)
          }}
          onOpenAutoFocus={(event) => {
            event.preventDefault()
            // A touch keyboard would cover the files, and a button that removes one is no place to begin.
            if (!hasKeyboard) return (event.currentTarget as HTMLElement).focus()
            const element = field.current
            element?.focus({ preventScroll: true })
            element?.setSelectionRange(element.value.length, element.value.length)
          }}
          onCloseAutoFocus={(event) => {
            event.preventDefault()
            returnFocus(returnTo)
          }}
        >
          <header className={styles.bar}>
            <IconButton icon="close" label="Cancel" onClick={leave} />
            <div className={styles.facts}>
              <Title className={styles.title}>
                {chosen.length === 1 ? 'Send file' : `Send ${chosen.length} files`}
              </Title>
              {file && (
                <p className={styles.about}>
                  <span className={styles.name} dir="auto">
                    {file.name}
                  </span>
                  <span>{formatBytes(file.size)}</span>
                </p>
              )}
            </div>
            {isEditable && !isCutting && (
              <>
                <button
                  type="button"
                  className={styles.asSticker}
                  aria-pressed={shown?.isSticker ?? false}
                  data-tooltip="Small, without a bubble, with its background; kept among your stickers"
                  disabled={isBusy}
                  onClick={toggleSticker}
                >
                  Sticker
                </button>
                <IconButton
                  icon="crop"
                  label="Crop"
                  disabled={isBusy}
                  onClick={() => setIsCutting(true)}
                />
                <IconButton
                  icon="turn"
                  label="Rotate"
                  disabled={isBusy}
                  onClick={() => void edit({ kind: 'turn' })}
                />
              </>
            )}
          </header>
          <div className={styles.stage}>
            {file && (
              <LargePreview
                key={shown?.id}
                file={file}
                isCutting={isCutting}
                isSticker={shown?.isSticker ?? false}
                onCut={(cut) => {
                  setIsCutting(false)
                  if (cut) void edit({ kind: 'cut', cut })
                }}
              />
            )}
          </div>
          {problem && (
            <div className={styles.problem}>
              <DialogProblem>{problem}</DialogProblem>
            </div>
          )}
          <form
            className={styles.foot}
            noValidate
            onSubmit={(event) => {
              event.preventDefault()
              void submit()
            }}
          >
            <fieldset className={styles.strip} ref={strip} aria-label="Files">
              {chosen.length > 1 &&
                chosen.map(({ id, file }) => (
                  <Thumb
                    key={id}
                    id={id}
                    file={file}
                    isShown={id === shown?.id}
                    isBusy={isBusy}
                    onShow={() => {
                      setIsCutting(false)
                      setShownId(id)
                    }}
                    onRemove={() => remove(id)}
                  />
                ))}
              <button
                ref={adder}
                type="button"
                className={styles.add}
                aria-label="Add files"
                data-tooltip="Add files"
                disabled={isBusy}
                onClick={() => more.current?.click()}
              >
                <Icon name="attach" size={22} />
              </button>
            </fieldset>
            <input
              ref={more}
              type="file"
              multiple
              hidden
              {...(!isUntouched && { accept: 'image/*,video/*' })}
              onChange={({ currentTarget }) => {
                add([...(currentTarget.files ?? [])])
                currentTarget.value = ''
              }}
            />
            <div className={styles.words}>
              <Caption
                field={field}
                text={caption}
                hasKeyboard={hasKeyboard}
                onChange={setCaption}
                onSubmit={() => void submit()}
              />
              <IconButton
                className={styles.send}
                type="submit"
                icon="send"
                label="Send"
                aria-busy={isBusy}
                aria-disabled={isBusy || isCutting}
              />
            </div>
          </form>
        </Content>
      </Portal>
    </Root>
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
  return (
    <textarea
      ref={field}
      className={styles.caption}
      rows={1}
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

/** Is it a picture that can be turned and cut? False until that is known. */
function useIsEditable(file: File | undefined): boolean {
  const [editable, setEditable] = useState<File>()
  useEffect(() => {
    if (!file) return
    const watch = { isOver: false }
    void canEdit(file).then((can) => {
      if (can && !watch.isOver) setEditable(file)
    })
    return () => {
      watch.isOver = true
    }
  }, [file])
  return file !== undefined && editable === file
}

interface LargePreviewProps {
  file: File
  isCutting: boolean
  isSticker: boolean
  /** Undefined when the person leaves it as it is. */
  onCut(cut: PictureCut | undefined): void
}

function LargePreview({ file, isCutting, isSticker, onCut }: LargePreviewProps) {
  const { url, kind, isBroken, onError } = useShownBytes(file)
  if (url && !isBroken && kind === 'image') {
    return (
      <div className={joinClassNames(styles.picture, isSticker && styles.sticker)}>
        <img src={url} alt={file.name} draggable={false} onError={onError} />
        {isCutting && <CutFrame onDone={onCut} />}
      </div>
    )
  }
  if (url && !isBroken && kind === 'video') {
    return (
      // biome-ignore lint/a11y/useMediaCaption: the person's own video before it is sent.
      <video className={styles.video} src={url} controls playsInline onError={onError} />
    )
  }
  return (
    <div className={styles.plain}>
      <Icon name={kind === 'video' ? 'video' : 'file'} size={56} />
      <p>No preview</p>
    </div>
  )
}

interface ThumbProps {
  id: number
  file: File
  isShown: boolean
  isBusy: boolean
  onShow(): void
  onRemove(): void
}

function Thumb({ id, file, isShown, isBusy, onShow, onRemove }: ThumbProps) {
  const { url, kind, isBroken, onError } = useShownBytes(file)
  return (
    <div className={styles.thumb} data-shown={isShown || undefined}>
      <button
        type="button"
        className={styles.thumbFace}
        aria-label={`Show ${file.name}`}
        aria-pressed={isShown}
        onClick={onShow}
      >
        {url && !isBroken && kind === 'image' ? (
          <img src={url} alt="" onError={onError} />
        ) : (
          <Icon name={kind === 'video' ? 'video' : 'file'} size={22} />
        )}
      </button>
      <button
        type="button"
        className={styles.remove}
        data-id={id}
        aria-label={`Remove ${file.name}`}
        disabled={isBusy}
        onClick={onRemove}
      >
        <Icon name="close" size={14} />
      </button>
    </div>
  )
}

function useShownBytes(file: File) {
  const [kind] = file.type.split('/')
  const url = useObjectUrl(kind === 'image' || kind === 'video' ? file : undefined)
  const [broken, setBroken] = useState<File>()
  return { kind, url, isBroken: broken === file, onError: () => setBroken(file) }
}

/** The part of a picture that stays: its corners follow a finger, the mouse, or the arrow keys. */
function CutFrame({ onDone }: { onDone(cut: PictureCut | undefined): void }) {
  const [cut, setCut] = useState(whole)
  const area = useRef<HTMLDivElement>(null)
  const first = useRef<HTMLButtonElement>(null)
  const drag = useRef<{ x: number; y: number }>(undefined)
  useEffect(() => first.current?.focus({ preventScroll: true }), [])

  const handlersOf = (corner: Corner | undefined) => ({
    onPointerDown(event: PointerEvent<HTMLElement>) {
      event.stopPropagation()
      event.currentTarget.setPointerCapture(event.pointerId)
      drag.current = { x: event.clientX, y: event.clientY }
    },
    onPointerMove(event: PointerEvent<HTMLElement>) {
      const box = area.current?.getBoundingClientRect()
      const from = drag.current
      if (!box || !from) return
      event.stopPropagation()
      drag.current = { x: event.clientX, y: event.clientY }
      const [x, y] = [(event.clientX - from.x) / box.width, (event.clientY - from.y) / box.height]
      setCut((now) => moveCut(now, { corner, x, y }))
    },
    onPointerUp() {
      drag.current = undefined
    },
    onPointerCancel() {
      drag.current = undefined
    },
  })
  const onKeyDown = (corner: Corner) => (event: KeyboardEvent) => {
    const x = { ArrowLeft: -keyStep, ArrowRight: keyStep }[event.key] ?? 0
    const y = { ArrowUp: -keyStep, ArrowDown: keyStep }[event.key] ?? 0
    if (x === 0 && y === 0) return
    event.preventDefault()
    setCut((now) => moveCut(now, { corner, x, y }))
  }
  const percent = (share: number) => `${share * 100}%`
  return (
    <div ref={area} className={styles.cutArea}>
      <div
        className={styles.cut}
        style={{
          left: percent(cut.left),
          top: percent(cut.top),
          width: percent(cut.width),
          height: percent(cut.height),
        }}
        {...handlersOf(undefined)}
      >
        {corners.map((corner, at) => (
          <button
            key={corner}
            ref={at === 0 ? first : undefined}
            type="button"
            className={styles.corner}
            data-corner={corner}
            aria-label={`Corner ${corner}: arrow keys move it`}
            {...handlersOf(corner)}
            onKeyDown={onKeyDown(corner)}
          />
        ))}
      </div>
      <div className={styles.cutDone}>
        <IconButton icon="close" label="Keep as it is" onClick={() => onDone(undefined)} />
        <IconButton icon="check" label="Crop to this part" onClick={() => onDone(cut)} />
      </div>
    </div>
  )
}
