import { useEffect, useRef, useState } from 'react'
import type { WhatsAppTemplate } from '../../../schema/api/whatsapp-template.ts'
import { DialogField, DialogForm } from '../../ui/forms/dialog-form.tsx'
import { isFilled, listPlaceholders, type Placeholder, type Values } from './fill-template.ts'
import { TemplateWords } from './template-words.tsx'

interface TemplateFormProps {
  template: WhatsAppTemplate
  initialValues: Values
  isBusy: boolean
  onSend(values: Values): void
  onBack(): void
}

/** Asks for a template's values, with a preview. */
export function TemplateForm(props: TemplateFormProps) {
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

const orderNames: Readonly<Record<string, string>> = { 1: 'Order number', 2: 'Total amount' }

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
