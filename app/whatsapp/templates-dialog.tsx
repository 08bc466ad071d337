import { useEffect, useRef, useState } from 'react'
import type {
  WhatsAppTemplate as Template,
  WhatsAppTemplate,
} from '../../schema/api/send-whatsapp.ts'
import { wordsOf } from '../../schema/helpers/text.ts'
import { Button } from '../ui/buttons/button.tsx'
import {
  DialogField,
  DialogFoot,
  DialogForm,
  DialogHint,
  DialogProblem,
} from '../ui/forms/dialog-form.tsx'
import type { Channel, Outgoing } from './channel.ts'
import { ChannelDialog } from './channel-dialog.tsx'
import styles from './templates.module.css'

const pattern = /\{\{\s*(\w+)\s*\}\}/g

const valued = ['HEADER', 'BODY'] as const

const keyOf = (type: string, name: string) => `${type.toLowerCase()} ${name}`

const orderNames: Readonly<Record<string, string>> = { 1: 'Order number', 2: 'Total amount' }

interface TemplatesDialogProps {
  channel: Channel
  templates: readonly WhatsAppTemplate[]
  /** The text of a message that only a template can still send. */
  words?: string | undefined
  /** Resolves when the device has stored it. Rejects with words for a person. */
  onSend(outgoing: Outgoing): Promise<void>
  onClose(): void
}

/** Lists the account's templates, to fill in and send. Source: decision 61, section 2. */
export function TemplatesDialog(props: TemplatesDialogProps) {
  const { channel, templates, words, onSend, onClose } = props
  const [chosen, setChosen] = useState<WhatsAppTemplate>()
  const [problem, setProblem] = useState<string>()
  const [isBusy, setIsBusy] = useState(false)

  async function send(template: WhatsAppTemplate, values: Readonly<Record<string, string>>) {
    if (isBusy) return
    setIsBusy(true)
    setProblem(undefined)
    const field = toTemplateField(template, values)
    try {
      await onSend({
        content: field.data.rendered,
        business: { type: 'template', template: field },
      })
    } catch (cause) {
      setProblem(wordsOf(cause))
    } finally {
      setIsBusy(false)
    }
  }

  const choose = (template: WhatsAppTemplate) => {
    if (isFilled(template, {})) void send(template, {})
    else setChosen(template)
  }
  return (
    <ChannelDialog title="WhatsApp Message Templates" channel={channel} onClose={onClose}>
      {words !== undefined && <KeptWords words={words} templates={templates} />}
      {problem && <DialogProblem>{problem}</DialogProblem>}
      {chosen ? (
        <TemplateForm
          key={chosen.id}
          template={chosen}
          initialValues={(words !== undefined && placeWords(chosen, words)) || {}}
          isBusy={isBusy}
          onSend={(values) => void send(chosen, values)}
          onBack={() => setChosen(undefined)}
        />
      ) : (
        <>
          <TemplateList
            templates={words === undefined ? templates : withCarriersFirst(templates, words)}
            isBusy={isBusy}
            onChoose={choose}
          />
          <DialogFoot>
            <Button look="quiet" onClick={onClose}>
              Close
            </Button>
          </DialogFoot>
        </>
      )}
    </ChannelDialog>
  )
}

interface KeptWordsProps {
  words: string
  templates: readonly WhatsAppTemplate[]
}

/** The text that came too late, and how a template can still send it. */
function KeptWords({ words, templates }: KeptWordsProps) {
  const isCarried = templates.some((template) => placeWords(template, words))
  return (
    <div className={styles.kept}>
      <p>
        {isCarried
          ? 'The 24 hours were over before this could leave. Choose a template that carries your words:'
          : 'The 24 hours were over before this could leave, and no template has a place for just these words. Ask for an answer by one of them, or add a template with a single {{1}} at Meta:'}
      </p>
      <blockquote dir="auto">{words}</blockquote>
    </div>
  )
}

/** Sorts templates that can carry the words first; the others keep their order. */
function withCarriersFirst(templates: readonly WhatsAppTemplate[], words: string) {
  const isCarrier = (template: WhatsAppTemplate) =>
    Number(placeWords(template, words) !== undefined)
  return [...templates].sort((a, b) => isCarrier(b) - isCarrier(a))
}

interface TemplateListProps {
  templates: readonly WhatsAppTemplate[]
  isBusy: boolean
  onChoose(template: WhatsAppTemplate): void
}

function TemplateList({ templates, isBusy, onChoose }: TemplateListProps) {
  if (templates.length === 0) {
    return (
      <div className={styles.empty}>
        <p>No WhatsApp templates available</p>
        <p>Templates will appear here once configured</p>
      </div>
    )
  }
  return (
    <ul className={styles.list}>
      {templates.map((template) => (
        <li key={template.id} className={styles.template}>
          <div className={styles.head}>
            <h3>{template.name}</h3>
            <span className={styles.category}>
              {template.category} · {template.language}
            </span>
          </div>
          <TemplateWords template={template} values={{}} />
          {canBeFilled(template) ? (
            <Button
              look="quiet"
              isBusy={isBusy}
              aria-label={`${isFilled(template, {}) ? 'Send' : 'Fill in'} ${template.name}`}
              onClick={() => onChoose(template)}
            >
              {isFilled(template, {}) ? 'Send' : 'Fill in'}
            </Button>
          ) : (
            <DialogHint>It needs a file or a link, so only a program can send it.</DialogHint>
          )}
        </li>
      ))}
    </ul>
  )
}

interface TemplateFormProps {
  template: WhatsAppTemplate
  initialValues: Values
  isBusy: boolean
  onSend(values: Values): void
  onBack(): void
}

/** Asks for a template's values, with a preview. */
function TemplateForm(props: TemplateFormProps) {
  const { template, isBusy, onSend, onBack } = props
  const [values, setValues] = useState(props.initialValues)
  const [hasTried, setHasTried] = useState(false)
  const first = useRef<HTMLInputElement>(null)
  useEffect(() => first.current?.focus(), [])
  const isComplete = isFilled(template, values)
  const submit = () => {
    if (isComplete) onSend(values)
    else setHasTried(true)
  }
  return (
    <DialogForm
      action="Send"
      leave="Back"
      problem={
        hasTried && !isComplete
          ? 'Fill in every value: WhatsApp refuses a template with a gap.'
          : undefined
      }
      isBusy={isBusy}
      onSubmit={submit}
      onLeave={onBack}
    >
      <h3>{template.name}</h3>
      {listPlaceholders(template).map((placeholder, index) => (
        <DialogField key={placeholder.key} label={nameValue(template, placeholder)}>
          <input
            ref={index === 0 ? first : undefined}
            name={placeholder.key}
            autoComplete="off"
            dir="auto"
            value={values[placeholder.key] ?? ''}
            onChange={(event) => setValues({ ...values, [placeholder.key]: event.target.value })}
          />
        </DialogField>
      ))}
      <TemplateWords template={template} values={values} />
    </DialogForm>
  )
}

/** The purpose of a value; numbers have a known purpose only in the built-in template. */
function nameValue({ name: template }: WhatsAppTemplate, { key, name }: Placeholder): string {
  const known = template === 'order_confirmation' ? orderNames[name] : undefined
  if (known) return known
  const plain = name.replaceAll('_', ' ')
  const words = /^\d+$/.test(name)
    ? `Value ${name}`
    : plain.charAt(0).toUpperCase() + plain.slice(1)
  return key.startsWith('header') ? `${words} (header)` : words
}

interface TemplateWordsProps {
  template: WhatsAppTemplate
  values: Values
}

/** A template as the recipient will see it, with the values so far. */
function TemplateWords({ template, values }: TemplateWordsProps) {
  const { header, body, footer } = fillTemplate(template, values)
  return (
    <div className={styles.words} dir="auto">
      {header && <p className={styles.header}>{header}</p>}
      <p>{body}</p>
      {footer && <p className={styles.footer}>{footer}</p>}
    </div>
  )
}

/** A person's values for the placeholders, by the keys from `listPlaceholders`. */
type Values = Readonly<Record<string, string>>

interface Placeholder {
  /** Unique across header and body, which may both have a `{{1}}`. */
  key: string
  /** The name between the braces. */
  name: string
}

/** A template's texts with the values so far filled in. */
interface Words {
  header: string | undefined
  body: string
  footer: string | undefined
}

function findText(template: Template, wanted: string): string | undefined {
  const found = template.components.find(
    ({ type, format = 'TEXT' }) => type === wanted && format === 'TEXT',
  )
  return found?.text
}

/** The placeholders to fill in, in reading order; repeated ones count once. */
export function listPlaceholders(template: Template): Placeholder[] {
  return valued.flatMap((type) =>
    listNames(template, type).map((name) => toPlaceholder(type, name)),
  )
}

function listNames(template: Template, type: string): string[] {
  const names = [...(findText(template, type) ?? '').matchAll(pattern)].map(([, name = '']) => name)
  const unique = [...new Set(names)]
  // WhatsApp orders positional ones by number, whatever their order in the text.
  return isNamed(template) ? unique : unique.sort((a, b) => Number(a) - Number(b))
}

function toPlaceholder(type: string, name: string): Placeholder {
  return { key: keyOf(type, name), name }
}

function isNamed({ parameter_format }: Template): boolean {
  return parameter_format === 'NAMED'
}

/** A template's texts; a placeholder without a value stays as it is. */
export function fillTemplate(template: Template, values: Values): Words {
  const fill = (type: string) =>
    findText(template, type)?.replace(
      pattern,
      (whole, name: string) => oneLine(values[keyOf(type, name)] ?? '') || whole,
    )
  return { header: fill('HEADER'), body: fill('BODY') ?? '', footer: fill('FOOTER') }
}

/** WhatsApp accepts only one-line values without tabs or runs of blanks. */
function oneLine(text: string): string {
  return text.trim().replace(/\s+/g, ' ')
}

/** Does each placeholder have a value? */
export function isFilled(template: Template, values: Values): boolean {
  return listPlaceholders(template).every(({ key }) => oneLine(values[key] ?? '') !== '')
}

/** Can a form fill this template? It cannot provide a file or a part of a link. */
export function canBeFilled({ components }: Template): boolean {
  return components.every(({ type, format = 'TEXT', buttons }) => {
    if (type === 'HEADER') return format === 'TEXT'
    return type !== 'BUTTONS' || !JSON.stringify(buttons ?? []).includes('{{')
  })
}

/** The message's template field: the values sent, and the resulting text. */
export function toTemplateField(template: Template, values: Values) {
  const { header, body, footer } = fillTemplate(template, values)
  const components = valued.flatMap((type) => {
    const names = listNames(template, type)
    if (names.length === 0) return []
    const parameters = names.map((name) => ({
      type: 'text',
      text: oneLine(values[keyOf(type, name)] ?? ''),
      ...(isNamed(template) && { parameter_name: name }),
    }))
    return { type: type.toLowerCase(), parameters }
  })
  const frame = { ...(header && { header }), ...(footer && { footer }) }
  const data = { language: template.language, components, rendered: body, ...frame }
  return { name: template.name, data }
}

/**
 * The values that put these words into the template; undefined if it has no placeholder for only
 * them.
 */
export function placeWords(template: Template, words: string): Values | undefined {
  const [only, ...others] = listPlaceholders(template)
  if (!only?.key.startsWith('body ') || others.length > 0) return undefined
  return { [only.key]: oneLine(words) }
}
