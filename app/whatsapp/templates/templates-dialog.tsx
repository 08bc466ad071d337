import { useState } from 'react'
import type { WhatsAppTemplate } from '../../../schema/api/whatsapp-template.ts'
import { wordsOf } from '../../../schema/helpers/words-of.ts'
import { Button } from '../../ui/buttons/button.tsx'
import { DialogHint } from '../../ui/forms/dialog-form.tsx'
import { DialogFoot, DialogProblem } from '../../ui/forms/dialog-parts.tsx'
import type { Channel } from '../channel/channel.ts'
import { ChannelDialog } from '../channel/channel-dialog.tsx'
import type { Outgoing } from '../channel/outgoing.ts'
import { canBeFilled, isFilled, placeWords, toTemplateField } from './fill-template.ts'
import { TemplateForm } from './template-form.tsx'
import { TemplateWords } from './template-words.tsx'
import styles from './templates.module.css'

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
