import type { WhatsAppTemplate } from '../../../schema/api/whatsapp-template.ts'
import { fillTemplate, type Values } from './fill-template.ts'
import styles from './templates.module.css'

interface TemplateWordsProps {
  template: WhatsAppTemplate
  values: Values
}

/** A template as the recipient will see it, with the values so far. */
export function TemplateWords({ template, values }: TemplateWordsProps) {
  const { header, body, footer } = fillTemplate(template, values)
  return (
    <div className={styles.words} dir="auto">
      {header && <p className={styles.header}>{header}</p>}
      <p>{body}</p>
      {footer && <p className={styles.footer}>{footer}</p>}
    </div>
  )
}
